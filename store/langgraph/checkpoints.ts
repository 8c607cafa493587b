import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type DeltaChannelHistory,
  getCheckpointId,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import {
  type CheckpointKey,
  type CheckpointReader,
  type CheckpointSink,
  databaseReader,
  deleteCheckpointsOfThread,
  directSink,
  type Encoded,
  type EncodedCheckpoint,
  encode,
  encodeText,
  type KnownList,
  LIST_FROM,
  LIST_FROM_CHARS,
  ListCache,
  MAX_PAGE_ROWS,
  type NewWrite,
  nextVersion,
  type PruneStrategy,
  planList,
  pruneThread,
  type StoredCheckpoint,
} from "../checkpoints/index.ts";
import type { Database } from "../database/index.ts";
import { deltaHistory } from "./delta-history.ts";
import type { ListReader } from "./list-reading.ts";
import { type CheckpointInLanguage, readTuple } from "./tuples.ts";

export type CheckpointSaverOptions = {
  /** The JsonPlusSerializer of the project's own LangGraph copy, so that it gets objects of its own classes. */
  serde?: SerializerProtocol;
  /** Shared by the savers of a process. */
  cache?: ListCache;
  /** False where nodes' writes do not pass through `putWrites` (durability "exit"): compares lists by text. */
  trustIdentity?: boolean;
  /** Owner of the checkpoints whose metadata names no run. */
  runId?: string;
  /** Joins the metadata of every checkpoint that is put, beneath LangGraph's own. */
  metadata?: Record<string, unknown>;
};

/**
 * LangGraph's checkpoint saver on stored checkpoints, wherever they are. One instance serves one run (or one reader):
 * it remembers the lists it has read, to store only what was added to them.
 */
export class CheckpointSaver extends BaseCheckpointSaver<string> {
  readonly #sink: CheckpointSink;
  readonly #reader: ListReader;
  readonly #runId: string | undefined;
  readonly #metadata: Record<string, unknown> | undefined;
  /** Newest list of each thread, namespace and channel. */
  readonly #lists = new Map<string, KnownList>();
  /** Checkpoints that were put here: what is written on any other is on top of somebody else's. */
  readonly #own = new Map<string, true>();
  /** Objects that tasks of a checkpoint wrote: their contents may have changed in place. */
  readonly #touched = new Map<string, Set<unknown>>();

  constructor(reader: CheckpointReader, sink: CheckpointSink, options: CheckpointSaverOptions = {}) {
    super(options.serde);
    this.#sink = sink;
    this.#runId = options.runId;
    this.#metadata = options.metadata;
    this.#reader = {
      reader,
      serde: this.serde,
      cache: options.cache ?? new ListCache(),
      trustIdentity: options.trustIdentity ?? true,
    };
  }

  override getNextVersion(current: string | undefined): string {
    return nextVersion(current);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const thread = config.configurable?.thread_id;
    if (thread === undefined) return undefined;
    const key = { thread: String(thread), ns: namespaceOf(config) };
    await this.#sink.settled();
    const checkpoint = getCheckpointId(config) || undefined;
    const found = await this.#reader.reader.checkpoint({ ...key, checkpoint });
    if (!found) return undefined;
    const heard = (channel: string, list: KnownList) =>
      remember(this.#lists, listKey(key.thread, key.ns, channel), list);
    return readTuple(this.#reader, found, heard);
  }

  /** Newest first. `filter` matches metadata as JSON containment does. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    await this.#sink.settled();
    const wanted = {
      thread: config.configurable?.thread_id,
      ns: config.configurable?.checkpoint_ns,
      checkpoint: config.configurable?.checkpoint_id,
      before: options.before?.configurable?.checkpoint_id,
      // Metadata are compared as they are stored.
      filter: options.filter && JSON.parse(encodeText(options.filter)),
    };
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    let after: CheckpointKey | undefined;
    const { reader } = this.#reader;
    while (left > 0) {
      const keys = await reader.checkpoints({ ...wanted, after, limit: Math.min(left, MAX_PAGE_ROWS) });
      for (const key of keys) {
        const found = await reader.checkpoint(key);
        if (found) yield await readTuple(this.#reader, found);
      }
      after = keys.at(-1);
      if (!after) return;
      left -= keys.length;
    }
  }

  /**
   * Everything is turned into text before this first waits: the graph goes on to change its values.
   * @throws Error when the config names no thread
   */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const thread = required(config, "thread_id", "put a checkpoint");
    const ns = namespaceOf(config);
    const parent: string | null = getCheckpointId(config) || null;
    // By itself a checkpointer keeps metadata as they are given.
    const place = ns === "" || this.#runId === undefined ? undefined : subgraphPlace(config, ns);
    const described = { ...this.#metadata, ...place, ...metadata };
    const encoded = this.#encode(thread, ns, parent, checkpoint, described, newVersions);
    remember(this.#own, checkpoint.id, true);
    await this.#sink.write({ kind: "checkpoint", encoded });
    return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
  }

  /** @throws Error when the config names no thread or no checkpoint */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const thread = required(config, "thread_id", "put writes");
    const checkpoint = required(config, "checkpoint_id", "put writes");
    const run = this.#own.has(checkpoint) ? null : (this.#runId ?? null);
    const at = { thread, ns: namespaceOf(config), checkpoint, task: taskId, path: taskPath, run };
    const rows = new Map<number, NewWrite>();
    writes.forEach(([channel, value], index) => {
      const idx = WRITES_IDX_MAP[channel] || index;
      this.#touch(checkpoint, value);
      rows.set(idx, { idx, channel, ...encode(value) });
    });
    await this.#sink.write({ kind: "writes", at, rows: [...rows.values()] });
  }

  /** @throws Error always: threads are deleted through the server's API, with their runs. */
  override async deleteThread(_threadId: string): Promise<void> {
    throw new Error(
      "A graph's checkpointer does not delete threads: use the API (DELETE /threads/{thread_id})",
    );
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const { config, channels } = options;
    await this.#sink.settled();
    const place = { thread: String(config.configurable?.thread_id), ns: namespaceOf(config) };
    return deltaHistory(this.#reader, place, getCheckpointId(config), channels);
  }

  #encode(
    thread: string,
    ns: string,
    parent: string | null,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): EncodedCheckpoint {
    const written = Object.keys(newVersions);
    const encoded: EncodedCheckpoint = {
      row: {
        thread_id: thread,
        ns,
        checkpoint_id: checkpoint.id,
        parent_id: parent,
        run_id: runOf(metadata) ?? this.#runId ?? null,
        checkpoint: checkpointText(checkpoint, written),
        metadata: encodeText(metadata),
      },
      values: [],
      lists: [],
    };
    const touched = this.#takeTouched(parent, checkpoint, written);
    for (const channel of written) {
      const value = checkpoint.channel_values[channel];
      if (value === undefined && !(channel in checkpoint.channel_values)) continue;
      const version = String(newVersions[channel]);
      const whole = wholeValue(value);
      if (whole) encoded.values.push({ channel, version, ...whole, length: null });
      else if (Array.isArray(value))
        encoded.lists.push({ channel, version, plan: this.#plan(thread, ns, channel, value, touched) });
    }
    return encoded;
  }

  #plan(thread: string, ns: string, channel: string, value: unknown[], touched: ReadonlySet<unknown>) {
    const key = listKey(thread, ns, channel);
    const watch = { trustIdentity: this.#reader.trustIdentity, touched };
    const known = planList(thread, value, this.#lists.get(key), watch, this.#reader.cache);
    remember(this.#lists, key, known);
    return known.plan;
  }

  #touch(checkpoint: string, value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const touched = this.#touched.get(checkpoint) ?? new Set();
    remember(this.#touched, checkpoint, touched);
    addObjects(touched, value, 2);
  }

  /** What tasks of the parent wrote, and what came in from outside. */
  #takeTouched(parent: string | null, checkpoint: Checkpoint, written: string[]): ReadonlySet<unknown> {
    const touched = this.#touched.get(parent ?? "") ?? new Set();
    this.#touched.delete(parent ?? "");
    if (written.includes("__start__")) addObjects(touched, checkpoint.channel_values.__start__, 3);
    return touched;
  }

  /** Resolves when everything that was written is committed. */
  protected settled(): Promise<void> {
    return this.#sink.settled();
  }

  protected forget(thread: string): void {
    this.#reader.cache.drop(thread);
    for (const key of this.#lists.keys()) if (key.startsWith(`${thread}|`)) this.#lists.delete(key);
  }
}

export type CheckpointsOptions = CheckpointSaverOptions & {
  /** Where writes go; by default each is committed before the graph goes on. */
  sink?: CheckpointSink;
};

/** The checkpoint saver of a process that has the database itself. */
export class Checkpoints extends CheckpointSaver {
  constructor(
    private readonly db: Database,
    { sink = directSink(db), ...options }: CheckpointsOptions = {},
  ) {
    super(databaseReader(db), sink, options);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.settled();
    await this.db.write((tx) => deleteCheckpointsOfThread(tx, threadId));
    this.forget(threadId);
  }

  /** Deletes all checkpoints of threads, or all but the newest of each namespace and what that one needs. */
  async prune(threadIds: string[], strategy: PruneStrategy): Promise<void> {
    await this.settled();
    for (const thread of threadIds) {
      await this.db.write((tx) => pruneThread(tx, thread, strategy));
      this.forget(thread);
    }
  }
}

/** Entries that a saver remembers; what it forgot is stored anew, or compared by text. */
const REMEMBERED = 128;

function remember<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= REMEMBERED) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}

const listKey = (thread: string, ns: string, channel: string) => `${thread}|${ns}|${channel}`;

const namespaceOf = (config: RunnableConfig): string => config.configurable?.checkpoint_ns ?? "";

function required(config: RunnableConfig, field: "thread_id" | "checkpoint_id", what: string): string {
  const value = config.configurable?.[field];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`Cannot ${what}: the config's "configurable" names no "${field}".`);
}

/** Which task of its parent a subgraph was: LangGraph tells it to whatever the task runs. */
const OF_TASK = ["langgraph_step", "langgraph_node", "langgraph_triggers", "langgraph_path"];

function subgraphPlace({ metadata = {} }: RunnableConfig, ns: string): Record<string, unknown> {
  const known = OF_TASK.filter((name) => name in metadata).map((name) => [name, metadata[name]]);
  return { ...Object.fromEntries(known), langgraph_checkpoint_ns: ns, checkpoint_ns: ns };
}

function runOf(metadata: CheckpointMetadata<{ run_id?: unknown }>): string | undefined {
  return typeof metadata.run_id === "string" ? metadata.run_id : undefined;
}

function checkpointText(checkpoint: CheckpointInLanguage, written: string[]): string {
  const { v, ts, channel_versions, versions_seen, language = "script" } = checkpoint;
  const stored: StoredCheckpoint = { v, ts, channel_versions, versions_seen, written, language };
  return JSON.stringify(stored);
}

/** An object, and those that it holds `depth` levels down. */
function addObjects(found: Set<unknown>, value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  found.add(value);
  if (depth === 0) return;
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    addObjects(found, inner, depth - 1);
}

/** Returns a value as one text, or undefined for a list that is stored element by element. */
function wholeValue(value: unknown): Encoded | undefined {
  if (Array.isArray(value) && value.length >= LIST_FROM) return undefined;
  const whole = encode(value);
  const isList = Array.isArray(value) && value.length > 0 && whole.value.length >= LIST_FROM_CHARS;
  return isList ? undefined : whole;
}
