import type { Assistant } from "@berth/server";
import { createContext, useContext } from "react";
import type { LastRun, ThreadConnection } from "../thread/index.ts";

/**
 * What the parts of an open thread share beside the stream itself, which `useStreamContext()` gives.
 *
 * The transport below the stream adds the thread's context and configurable settings to every `run.start` and
 * `input.respond`, so whoever submits need not know them.
 */
type ChatSession = {
  threadId: string;
  /** Nobody has written anything in it: the server does not know it yet, so there is nothing to ask about it. */
  isDraft: boolean;
  /** Whom the conversation is held with, once that is known. The transport sends it with every run. */
  assistant: Assistant | undefined;
  /** Where the console shows traces, by the ids of their runs; nothing where there is no console. */
  tracesAt: string | undefined;
  /** What the graph takes, of one that does not take messages: it is asked for in a form. */
  inputSchema: Record<string, unknown> | undefined;
  connection: ThreadConnection;
  /** The newest run of the thread, whoever started it; also after a reload, when the stream does not know it. */
  lastRun: LastRun | undefined;
  /** Ends the newest run on the server, whoever started it, and then the local wait for it. */
  stop: () => Promise<void>;
  /** Where the next message branches off, when it was chosen in the history. Submit with `forkFrom: fork`. */
  fork: string | undefined;
  setFork: (checkpointId: string | undefined) => void;
  /** Grows whenever checkpoints may have been added: reload what was read from the history. */
  revision: number;
};

export const SessionContext = createContext<ChatSession | undefined>(undefined);

/** The open thread that this component is drawn inside of. */
export function useSession(): ChatSession {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession() is for components inside of <ThreadSession>");
  return session;
}
