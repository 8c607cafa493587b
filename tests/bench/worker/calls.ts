import type { GraphName } from "./job.ts";

/** Times of one stream in ms; `tokens` counts only those that came in order, each once. */
export type StreamTimes = {
  firstTokenMs: number;
  firstEventMs: number;
  firstToLastTokenMs: number;
  lastEventToCloseMs: number;
  tokens: number;
};

/** What a target can be asked to do; a call that does not do it rejects. */
export interface Calls {
  /** Runs a graph to its end; without a thread nothing is kept. */
  run(graph: GraphName, thread?: string): Promise<void>;
  /** Runs the approval graph to its interrupt and resumes it. */
  interruptAndResume(thread: string): Promise<void>;
  /** Streams the tokens of a graph. They are counted when asked for, so that counting does not slow the measure. */
  stream(graph: GraphName): Promise<() => StreamTimes>;
  /** Gives a thread `turns` more runs by whatever way is fastest. */
  fill(graph: GraphName, thread: string, turns: number): Promise<void>;
  state(graph: GraphName, thread: string): Promise<void>;
  history(graph: GraphName, thread: string, limit: number): Promise<void>;
}

const conversation = { messages: [{ role: "user", content: "hello" }] };

export const INPUTS: Record<GraphName, object> = {
  echo: conversation,
  flat: { question: "hello" },
  tokens: conversation,
  timed: conversation,
  steps: { step: 0 },
  tools: conversation,
  brisk: conversation,
  computes: { done: 0 },
  approval: { question: "may I?" },
};

/** Throws unless these are the values with which a run of that graph on its input has to end. */
export function expectValues(graph: GraphName, values: unknown): void {
  if (!ended[graph](values)) throw new Error(`${graph} ended with ${describe(values)}`);
}

const lastMessage = (values: unknown): unknown => {
  const messages = field(values, "messages");
  return Array.isArray(messages) ? field(messages.at(-1), "content") : undefined;
};
const streamed = (values: unknown) => String(lastMessage(values)).endsWith("t199 ");

const ended: Record<GraphName, (values: unknown) => boolean> = {
  echo: (values) => lastMessage(values) === "hello",
  flat: (values) => field(values, "answer") === "hello",
  tokens: streamed,
  timed: streamed,
  tools: (values) => lastMessage(values) === "done",
  steps: (values) => field(values, "step") === 20,
  brisk: streamed,
  computes: (values) => field(values, "done") === 5,
  approval: (values) => field(values, "answer") === "yes",
};

/** The named field of what may be an object. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** What a value looks like, short enough for an error message. */
export const describe = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? "nothing";
