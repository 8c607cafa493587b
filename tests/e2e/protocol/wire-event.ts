/** A message as states and `values` events carry it. */
export type WireMessage = {
  type: string;
  id: string;
  content: string | { type: string; text?: string }[];
  name?: string;
  tool_call_id?: string;
  tool_calls?: { id: string; name: string; args: unknown }[];
};

/** The fields of all kinds of events; each kind has some of them. */
export type EventData = {
  event?: string;
  graph_name?: string;
  error?: string;
  id?: string;
  parent_id?: string;
  step?: number;
  source?: string;
  index?: number;
  content?: { type: string; text?: string; id?: string; name?: string; args?: unknown };
  delta?: { type: string; text?: string; args?: string; fields?: { type: string; args?: string } };
  message?: string;
  code?: string;
  tool_call_id?: string;
  tool_name?: string;
  output?: unknown;
  interrupt_id?: string;
  interrupt_ids?: string[];
  payload?: unknown;
  name?: string;
  node?: string;
  values?: unknown;
  messages?: WireMessage[];
  reason?: string;
  pending_ids?: string[];
};

export type WireEvent = {
  type: "event";
  event_id: string;
  seq: number;
  method: string;
  params: { namespace: string[]; timestamp: number; node?: string; data: EventData };
};

const TERMINALS = ["completed", "failed", "interrupted"];

export const isRoot = (event: WireEvent): boolean => event.params.namespace.length === 0;

/** The lifecycle events of whole runs. */
export const rootLifecycle = (events: WireEvent[]): WireEvent[] =>
  events.filter((event) => event.method === "lifecycle" && isRoot(event));

/** How runs ended, in order. */
export const terminals = (events: WireEvent[]): WireEvent[] =>
  rootLifecycle(events).filter(({ params }) => TERMINALS.includes(params.data.event ?? ""));

/** The run that a root lifecycle event is of: its id says so. */
export const runOf = (event: WireEvent): string | undefined => /^synth:([^:]+):/.exec(event.event_id)?.[1];

/** True when the run's last event is there. */
export const hasEnded = (events: WireEvent[], runId: string): boolean =>
  terminals(events).some((event) => runOf(event) === runId);

export const ofMethod = (events: WireEvent[], method: string): WireEvent[] =>
  events.filter((event) => event.method === method);

export const dataOf = (events: WireEvent[], method: string): EventData[] =>
  ofMethod(events, method).map(({ params }) => params.data);

/** A message's text, whether it is one string or blocks. */
export const textOf = ({ content }: Pick<WireMessage, "content">): string =>
  typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");

/** The conversation as the newest `values` event of the root has it. */
export const conversationOf = (events: WireEvent[]): string[] =>
  (ofMethod(events, "values").filter(isRoot).at(-1)?.params.data.messages ?? []).map(textOf);

export const seqsOf = (events: WireEvent[]): number[] => events.map(({ seq }) => seq);

export const idsOf = (events: WireEvent[]): string[] => events.map(({ event_id }) => event_id);

/** True when every number is greater than the one before. */
export const isIncreasing = (numbers: number[]): boolean =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));

/** One short line an event, for the message of a failure. */
export const outline = (events: WireEvent[]): string =>
  events
    .slice(-8)
    .map(({ seq, method, params }) => {
      const data = JSON.stringify(params.data).slice(0, 100);
      return `${seq} ${method} [${params.namespace.join(",")}] ${data}`;
    })
    .join("\n");
