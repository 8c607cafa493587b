import { Conflict } from "@berth/store";
import type { CheckpointInLanguage } from "@berth/store/langgraph";
import type { CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";
import { isRecord } from "../record.ts";
import type { GraphConfig, Saver } from "./graph.ts";

/** How a channel's value comes: itself, or a list by what is new in it. */
type SentValue = { value: unknown } | { of: number; keep: number; more: unknown[]; as: number };

type Asked = { config: GraphConfig };
type AskedTuple = Asked & { as: number };
type AskedList = Asked & {
  filter: Record<string, unknown> | null;
  before: GraphConfig | null;
  limit: number;
};
type AskedPut = Asked & {
  checkpoint: CheckpointTuple["checkpoint"];
  values: Record<string, SentValue>;
  metadata: CheckpointTuple["metadata"];
  versions: Record<string, string | number>;
};
type AskedHistory = Asked & { channels: string[] };
type AskedWrites = Asked & { writes: [channel: string, value: unknown][]; task: string; path: string };

/**
 * Keeps the checkpoints of one request of a Python graph. Values come as Python's typed bytes with the view that
 * clients are shown, or as JSON where that is the same. A list that has grown comes as its new elements: those before
 * are the same objects here, so that the checkpointer stores what is new only.
 */
export class PythonSaver {
  /** The newest list of each channel that the worker has, by namespace and channel. */
  readonly #lists = new Map<string, { number: number; elements: unknown[] }>();

  constructor(private readonly saver: Saver) {}

  /** Whether the worker's checkpointer asks for this. */
  static has(of: string): boolean {
    return ["getTuple", "list", "put", "putWrites", "deleteThread", "deltaHistory"].includes(of);
  }

  /** Everything is taken up before this first waits: the next request of the same worker builds on it. */
  async answer(of: string, takes: unknown): Promise<unknown> {
    switch (of) {
      case "getTuple":
        return this.#getTuple(takes as AskedTuple);
      case "list":
        return this.#list(takes as AskedList);
      case "put":
        return this.#put(takes as AskedPut);
      case "deltaHistory":
        return this.saver.getDeltaChannelHistory(takes as AskedHistory);
      case "putWrites": {
        const { config, writes, task, path } = takes as AskedWrites;
        return this.saver.putWrites(config, writes as PendingWrite[], task, path);
      }
      default:
        return this.saver.deleteThread((takes as { thread: string }).thread);
    }
  }

  async #getTuple({ config, as }: AskedTuple): Promise<unknown> {
    const tuple = await this.saver.getTuple(config);
    if (!tuple) return null;
    const { language }: CheckpointInLanguage = tuple.checkpoint;
    if (language !== "python" && Object.keys(tuple.checkpoint.channel_values).length > 0)
      throw new Conflict("The thread was written by a graph in TypeScript or JavaScript");
    const ns = namespaceOf(tuple.config as GraphConfig);
    for (const [channel, value] of Object.entries(tuple.checkpoint.channel_values))
      if (Array.isArray(value)) this.#lists.set(listKey(ns, channel), { number: as, elements: value });
    return sent(tuple);
  }

  async #list({ config, filter, before, limit }: AskedList): Promise<unknown[]> {
    const options = { limit, ...(filter && { filter }), ...(before && { before }) };
    const tuples: unknown[] = [];
    for await (const tuple of this.saver.list(config, options)) tuples.push(sent(tuple));
    return tuples;
  }

  #put({ config, checkpoint, values, metadata, versions }: AskedPut): Promise<unknown> {
    const ns = namespaceOf(config);
    const channel_values = Object.fromEntries(
      Object.entries(values).map(([channel, value]) => [channel, this.#valueOf(listKey(ns, channel), value)]),
    );
    // A graph of the other language is not to read what it cannot.
    const inPython: CheckpointInLanguage = { ...checkpoint, channel_values, language: "python" };
    const marked = Object.assign({ graph_language: "python" }, metadata ?? emptyMetadata);
    return this.saver.put(config, inPython, marked, versions);
  }

  #valueOf(key: string, sentValue: SentValue): unknown {
    if ("value" in sentValue) return sentValue.value;
    const { of, keep, more, as } = sentValue;
    const known = this.#lists.get(key);
    if (keep > 0 && known?.number !== of) throw new Error("the worker builds on a list that is not known");
    const elements = [...(known?.elements.slice(0, keep) ?? []), ...more];
    this.#lists.set(key, { number: as, elements });
    return elements;
  }
}

const emptyMetadata = { source: "loop", step: 0, parents: {} } as const;

const listKey = (ns: string, channel: string) => `${ns}\n${channel}`;

const namespaceOf = ({ configurable }: GraphConfig): string => String(configurable?.checkpoint_ns ?? "");

function sent({ config, checkpoint, metadata, parentConfig, pendingWrites }: CheckpointTuple) {
  return { config, checkpoint, metadata, parent: parentConfig, writes: pendingWrites ?? [] };
}

/** Names a value of Python's own, beside which stands what clients see of it. */
const MARK = "berth:py";

/** The value of a channel that a Python graph has stored, as clients see it. Only it and its elements have a view. */
export function viewOfPython(stored: unknown): unknown {
  const viewOf = (value: unknown) => (isRecord(value) && MARK in value ? value.view : value);
  return Array.isArray(stored) ? stored.map(viewOf) : viewOf(stored);
}
