import type { EventData, WireEvent } from "./wire-event.ts";

type Call = {
  id?: string;
  name?: string;
  args?: unknown;
  /** The arguments as the last delta left them. */
  streamed: string;
  deltas: number;
  /** Whether each delta held what the one before it held. */
  grew: boolean;
};

/** One message as its own events tell it. */
export type Spoken = {
  id: string;
  namespace: string[];
  state: "open" | "finished" | "error";
  code?: string;
  /** What the text deltas add up to. */
  streamed: string;
  /** What the finished blocks say. */
  finished: string;
  deltas: number;
  calls: Call[];
};

/** Puts messages together from the `messages` events, strictly: what does not belong anywhere is an error. */
export function spokenIn(events: WireEvent[]): Spoken[] {
  const spoken: Spoken[] = [];
  const open = new Map<string, { message: Spoken; blocks: Map<number, Call | "text"> }>();
  for (const { method, params } of events) {
    if (method !== "messages") continue;
    const { data, namespace } = params;
    // Messages of one namespace may overlap: their events then name the message.
    const key = keyOf(data, namespace);
    if (data.event === "message-start") {
      if (open.has(key)) throw new Error(`a message starts inside another one in ${key}`);
      const message = begin(data, namespace);
      spoken.push(message);
      open.set(key, { message, blocks: new Map() });
      continue;
    }
    const current = open.get(key);
    if (!current) throw new Error(`${data.event} without a message in ${key}`);
    apply(current.message, current.blocks, data);
    if (current.message.state !== "open") open.delete(key);
  }
  return spoken;
}

function keyOf(data: EventData, namespace: string[]): string {
  const run = "run_id" in data && typeof data.run_id === "string" ? data.run_id : "";
  return `${namespace.join("|")} ${run}`;
}

function begin(data: EventData, namespace: string[]): Spoken {
  if (!data.id) throw new Error("a message-start without an id");
  return { id: data.id, namespace, state: "open", streamed: "", finished: "", deltas: 0, calls: [] };
}

function apply(message: Spoken, blocks: Map<number, Call | "text">, data: EventData): void {
  const { event, index = -1, content, delta } = data;
  if (event === "content-block-start") {
    if (blocks.has(index)) throw new Error(`block ${index} starts twice`);
    const call: Call = { id: content?.id, name: content?.name, streamed: "", deltas: 0, grew: true };
    const isCall = content?.type === "tool_call_chunk";
    if (isCall) message.calls.push(call);
    blocks.set(index, isCall ? call : "text");
  } else if (event === "content-block-delta" && delta) {
    grow(message, blocks.get(index), delta);
  } else if (event === "content-block-finish") {
    const block = blocks.get(index);
    if (block === undefined) throw new Error(`block ${index} finishes before it starts`);
    if (block === "text") message.finished += content?.text ?? "";
    else Object.assign(block, { args: content?.args, id: content?.id, name: content?.name });
  } else if (event === "message-finish") {
    message.state = "finished";
  } else if (event === "error") {
    message.state = "error";
    message.code = data.code;
  }
}

function grow(
  message: Spoken,
  block: Call | "text" | undefined,
  delta: NonNullable<EventData["delta"]>,
): void {
  if (block === undefined) throw new Error("a delta of a block that has not started");
  if (block === "text") {
    message.streamed += delta.text ?? "";
    message.deltas += 1;
    return;
  }
  const args = delta.fields?.args ?? "";
  block.grew &&= args.startsWith(block.streamed) && args.length > block.streamed.length;
  block.streamed = args;
  block.deltas += 1;
}
