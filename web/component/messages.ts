import type { UIMessage } from "@langchain/langgraph-sdk/react-ui/server";

/** What the frame of a component says to the chat as soon as it listens; a port comes along. */
export const READY = "berth:component";

/** Around what a component draws, in pixels. */
export const ROOM = 8;

/** What the stream is at, as a component reads it by `useStreamContext()`. All of it is plain data. */
export type StreamState = {
  values: Record<string, unknown>;
  messages: unknown[];
  isLoading: boolean;
  interrupts: unknown[];
  error: string | undefined;
  threadId: string;
  assistantId: string;
};

/** What the chat says to the frame. */
export type ToFrame =
  | {
      type: "draw";
      graph: string;
      /** What loads the component, as the server gives it. */
      markup: string;
      message: UIMessage;
      stream: StreamState;
      shade: "light" | "dark";
    }
  | { type: "done"; call: number; error?: string };

export type StreamMethod = "submit" | "respond" | "stop";

/** What the frame says to the chat. */
export type FromFrame =
  | { type: "height"; height: number }
  | { type: "failed"; reason: string }
  | { type: "call"; call: number; method: StreamMethod; args: unknown[] };
