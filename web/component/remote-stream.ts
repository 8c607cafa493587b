import type { FromFrame, StreamMethod, StreamState, ToFrame } from "./messages.ts";

type Draw = Extract<ToFrame, { type: "draw" }>;
type Done = Extract<ToFrame, { type: "done" }>;
type Say = (message: FromFrame) => void;

let calls = 0;
const open = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();

/** The chat has done what a component asked for. */
export function takeDone({ call, error }: Done): void {
  const waiting = open.get(call);
  open.delete(call);
  if (error === undefined) waiting?.resolve();
  else waiting?.reject(new Error(error));
}

function ask(say: Say, method: StreamMethod, args: unknown[]): Promise<void> {
  calls += 1;
  const call = calls;
  return new Promise((resolve, reject) => {
    open.set(call, { resolve, reject });
    // What cannot be sent, such as a function among the options, is left out.
    say({ type: "call", call, method, args: JSON.parse(JSON.stringify(args)) });
  });
}

let markup = "";
const client = { "~ui": { getComponent: async () => markup } };

/** The stream of the chat as the loader and the components want it; what it does is done by the chat. */
export function streamOf(draw: Draw, say: Say): StreamState & Record<string, unknown> {
  markup = draw.markup;
  const { stream } = draw;
  return {
    ...stream,
    interrupt: stream.interrupts[0],
    isThreadLoading: false,
    toolCalls: [],
    history: [],
    branch: "",
    client,
    submit: (values: unknown, options: unknown = {}) => ask(say, "submit", [values ?? null, options]),
    respond: (answer: unknown, options: unknown = {}) => ask(say, "respond", [answer ?? null, options]),
    stop: () => ask(say, "stop", []),
    setBranch: () => {},
    getMessagesMetadata: () => undefined,
    joinStream: async () => {},
  };
}
