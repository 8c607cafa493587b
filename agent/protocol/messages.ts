import { ContentBlocks, type MessageUsage, type Token } from "./content-blocks.ts";
import type { Outlet } from "./event.ts";

/** Where a model speaks: the namespaces of its messages, of its task and of the graph of that task, and the node. */
export type ModelPlace = {
  namespace: readonly string[];
  task: readonly string[];
  graph: readonly string[];
  node: string | undefined;
};

/** How a message ended, as the log has it. */
export type MessageEnd = { id: string; usage?: MessageUsage; reason?: string };
type End = Omit<MessageEnd, "id">;
type Message = ModelPlace & { id: string; blocks: ContentBlocks; usage: MessageUsage | undefined };
/** A message that waits until the one that is being told is over. */
type Waiting = ModelPlace & { id: string; tokens: Token[]; end?: End };
type Lane = { told?: Message; waiting: Map<string, Waiting> };

const laneOf = ({ namespace, node }: ModelPlace) => `${namespace.join("|")} ${node ?? ""}`;
const UNTOLD: End = {};

/**
 * The messages of one attempt of a run. Clients put a delta to the message that started last in its namespace
 * and node, so of models that speak side by side in one node one is heard at a time; the others wait.
 */
export class Messages {
  readonly #lanes = new Map<string, Lane>();
  readonly #done = new Set<string>();
  #outlet: Outlet | undefined;

  /** All messages of the run that were begun, with the namespace of the graph that they belong to. */
  readonly begun = new Map<string, readonly string[]>();

  token(token: Token & { id: string }, place: ModelPlace, outlet: Outlet): void {
    this.#outlet = outlet;
    if (this.#done.has(token.id)) return;
    const lane = this.#lane(place);
    if (lane.told && lane.told.id !== token.id) {
      const waiting = lane.waiting.get(token.id) ?? { ...place, id: token.id, tokens: [] };
      waiting.tokens.push(token);
      lane.waiting.set(token.id, waiting);
      return;
    }
    lane.told ??= this.#begin(token.id, place);
    this.#tell(lane.told, token);
  }

  /** A message that came in one piece. */
  whole(message: Token & { id: string }, place: ModelPlace, outlet: Outlet): void {
    if (this.#done.has(message.id) || this.begun.has(message.id)) return;
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const tool_call_chunks = calls.map((call: { id?: string; name?: string; args?: unknown }, index) => ({
      id: call.id,
      name: call.name,
      args: JSON.stringify(call.args ?? {}),
      index,
    }));
    this.token({ ...message, tool_call_chunks }, place, outlet);
    this.finish(message.id, UNTOLD, outlet);
  }

  finish(id: string, end: End, outlet: Outlet): void {
    this.#outlet = outlet;
    for (const lane of this.#lanes.values()) {
      const waiting = lane.waiting.get(id);
      if (waiting) waiting.end = end;
      else if (lane.told?.id === id) this.#over(lane, lane.told, end);
    }
  }

  /** Whatever spoke in this namespace or below is done. */
  finishIn(namespace: readonly string[], outlet: Outlet): void {
    this.#outlet = outlet;
    for (const lane of this.#lanes.values()) {
      while (lane.told && isIn(lane.told.task, namespace)) this.#over(lane, lane.told, UNTOLD);
    }
  }

  /** The attempt is lost, and so is what it was saying. */
  lose(message: string, outlet: Outlet): void {
    this.#outlet = outlet;
    for (const { told } of this.#lanes.values()) {
      if (told) this.#say(told, { event: "error", message, code: "attempt_lost" });
    }
    this.#lanes.clear();
  }

  #lane(place: ModelPlace): Lane {
    const key = laneOf(place);
    const lane = this.#lanes.get(key) ?? { waiting: new Map() };
    this.#lanes.set(key, lane);
    return lane;
  }

  #begin(id: string, place: ModelPlace): Message {
    this.begun.set(id, place.graph);
    const message: Message = {
      ...place,
      id,
      usage: undefined,
      blocks: new ContentBlocks((data) => this.#say(message, data)),
    };
    this.#say(message, { event: "message-start", id, role: "ai" });
    return message;
  }

  #tell(message: Message, token: Token): void {
    message.blocks.add(token);
    message.usage = sum(message.usage, token.usage_metadata);
  }

  #over(lane: Lane, message: Message, end: End): void {
    message.blocks.finish();
    const usage = end.usage ?? message.usage;
    const rest = { reason: end.reason ?? "stop", ...(usage && { usage }) };
    this.#say(message, { event: "message-finish", ...rest });
    this.#done.add(message.id);
    lane.told = undefined;
    const [next] = lane.waiting.values();
    if (!next) return;
    lane.waiting.delete(next.id);
    const told = this.#begin(next.id, next);
    lane.told = told;
    for (const token of next.tokens) this.#tell(told, token);
    if (next.end) this.#over(lane, told, next.end);
  }

  #say({ namespace, node }: ModelPlace, data: Record<string, unknown>): void {
    this.#outlet?.say({ method: "messages", namespace, node, data: JSON.stringify(data) });
  }
}

function sum(before: MessageUsage | undefined, more: MessageUsage | undefined): MessageUsage | undefined {
  if (!before || !more) return more ?? before;
  return {
    ...before,
    input_tokens: before.input_tokens + more.input_tokens,
    output_tokens: before.output_tokens + more.output_tokens,
    total_tokens: before.total_tokens + more.total_tokens,
  };
}

function isIn(namespace: readonly string[], outer: readonly string[]): boolean {
  return outer.every((segment, index) => namespace[index] === segment);
}
