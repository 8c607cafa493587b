import { BadRequest, checkContainment, type Draft, Fault, NotFound } from "@berth/store";
import type { BaseStore } from "@langchain/langgraph";
import { requirePairedSurrogates } from "../paired-surrogates.ts";
import {
  type Graph,
  type GraphConfig,
  type GraphUpdate,
  inspecting,
  nodePath,
  type Project,
  reason,
  type Saver,
  subgraphAt,
  type WireCommand,
} from "../project/index.ts";
import { WorkerLost } from "../python/index.ts";
import { isRecord } from "../record.ts";
import { type CheckpointRef, checkpointRef } from "./checkpoint-ref.ts";
import { emptyState, type ThreadState, threadState } from "./thread-state.ts";

/** A list of updates holds no more. */
const MOST_UPDATES = 1_000;

/** What a thread's state needs to know of the thread; `config.configurable` is the first run's. */
export type StatefulThread = {
  thread_id: string;
  metadata: Record<string, unknown>;
  config?: { configurable?: Record<string, unknown> };
};

/** A checkpoint as a client names it; its thread is the request's. Everything else in it is ignored. */
export type CheckpointInput = {
  checkpoint_id?: string | null;
  checkpoint_ns?: string | null;
  checkpoint_map?: Record<string, unknown> | null;
};

export type StateQuery = { checkpoint?: CheckpointInput | null | undefined; subgraphs?: boolean | undefined };

export type HistoryQuery = {
  /** @default 10 */
  limit?: number;
  /** Only older ones than this: an id, a checkpoint, or a config that names one. */
  before?: string | (CheckpointInput & { configurable?: CheckpointInput }) | null;
  /** Only those whose metadata have these values. */
  metadata?: Record<string, unknown> | null;
  /** The subgraph, or the one checkpoint, to list. */
  checkpoint?: CheckpointInput | null;
};

/** Updates that are applied as one step, each in the name of a node. */
export type Superstep = { updates: { values?: unknown; command?: WireCommand | null; as_node?: string }[] };

/** What is to be written on top of a checkpoint, by default the newest: values, or steps one after the other. */
export type StateEdit = {
  checkpoint?: CheckpointInput | null | undefined;
  wanted: { values: unknown; as_node: string | null | undefined } | { supersteps: Superstep[] };
};

/** An edit that nobody sees yet: the checkpoint that it makes, the root graph's state then, and what to store for it. */
export type DraftedEdit = { checkpoint: CheckpointRef | null; state: ThreadState; draft: Draft };

/** Where the states of threads are known: it takes their graphs to read them. What goes in and comes out is plain data. */
export interface StateCode {
  /** @throws NotFound that checkpoint does not exist */
  state(thread: StatefulThread, query: StateQuery): Promise<ThreadState>;
  /** One at a time, newest first: each may be as large as the thread. */
  history(thread: StatefulThread, query: HistoryQuery): AsyncGenerator<ThreadState>;
  /** @throws BadRequest the thread has no graph, or the graph does not take the edit */
  edit(thread: StatefulThread, edit: StateEdit): Promise<DraftedEdit>;
}

type GraphStatesDeps = {
  project: Pick<Project, "graph" | "command">;
  /** Makes a checkpointer for one read: it remembers what it read. */
  saver: () => Saver;
  /** Makes one for one edit of a thread; its checkpoints say what made them. */
  draft: (threadId: string, metadata: { graph_id: string }) => Saver & { drafted(): Draft };
  store?: BaseStore | undefined;
};

/** The only channel of a graph whose state is one unnamed value. */
const ROOT_CHANNEL = "__root__";

/** Reads and drafts the states of threads by the graphs of a project that is loaded here. */
export class GraphStates implements StateCode {
  constructor(private readonly deps: GraphStatesDeps) {}

  async state(
    thread: StatefulThread,
    { checkpoint, subgraphs = false }: StateQuery = {},
  ): Promise<ThreadState> {
    const graph = await this.#graphOf(thread);
    if (!graph) return emptyState();
    const { saver, failures } = watchFailures(this.deps.saver());
    const config = this.#config(thread, checkpoint, saver);
    const addressee = await addressed(graph, checkpoint);
    try {
      const snapshot = await addressee.getState(config, { subgraphs });
      if (checkpoint?.checkpoint_id && !snapshot.createdAt) {
        throw new NotFound(`Checkpoint ${checkpoint.checkpoint_id} not found`);
      }
      return threadState(snapshot);
    } catch (error) {
      refuseReading(error, failures);
    }
  }

  async *history(thread: StatefulThread, query: HistoryQuery): AsyncGenerator<ThreadState> {
    const { limit = 10, before, metadata, checkpoint } = query;
    checkContainment(metadata);
    const graph = await this.#graphOf(thread);
    if (!graph) return;
    const { saver, failures } = watchFailures(this.deps.saver());
    const config = this.#config(thread, checkpoint, saver);
    const snapshots = (await addressed(graph, checkpoint)).getStateHistory(config, {
      limit,
      ...(before ? { before: beforeConfig(before) } : {}),
      ...(metadata ? { filter: metadata } : {}),
    });
    try {
      for await (const snapshot of snapshots) yield threadState(snapshot);
    } catch (error) {
      refuseReading(error, failures);
    }
  }

  async edit(thread: StatefulThread, { checkpoint, wanted }: StateEdit): Promise<DraftedEdit> {
    const root = await this.#graphOf(thread, "threads.update");
    if (!root) throw new BadRequest(`Thread ${thread.thread_id} has no graph ID`);
    requirePairedSurrogates(root.language, wanted);
    const graph = await addressed(root, checkpoint);
    if (checkpoint?.checkpoint_ns && graph === root) {
      throw new BadRequest(`Subgraph "${nodePath(checkpoint.checkpoint_ns)}" not found`);
    }
    const supersteps = this.#steps(graph, wanted);
    const draft = this.deps.draft(thread.thread_id, { graph_id: String(thread.metadata.graph_id) });
    const { saver, failures } = watchFailures(draft);
    const config = this.#config(thread, checkpoint, saver);
    const written = await graph.bulkUpdateState(config, supersteps).catch((error) => {
      // What the graph refuses is the caller's; what the database refuses is ours.
      if (failures.has(error)) throw error;
      throw new BadRequest(refusal(error), { cause: error });
    });
    const reader = (await this.#graphOf(thread)) ?? root;
    try {
      const state = threadState(await reader.getState(this.#config(thread, undefined, saver)));
      return { checkpoint: checkpointRef(written), state, draft: draft.drafted() };
    } catch (error) {
      refuseReading(error, failures);
    }
  }

  #steps(graph: Graph, wanted: StateEdit["wanted"]): { updates: GraphUpdate[] }[] {
    if ("values" in wanted)
      return listed(graph, wanted.values).map((one) => ({ updates: [graphUpdate(one, wanted.as_node)] }));
    return wanted.supersteps.map(({ updates }) => ({
      updates: updates.map(({ values, command, as_node }) =>
        graphUpdate(command ? this.deps.project.command(command) : values, as_node),
      ),
    }));
  }

  async #graphOf(
    thread: StatefulThread,
    access: "threads.read" | "threads.update" = "threads.read",
  ): Promise<Graph | undefined> {
    const graphId = thread.metadata.graph_id;
    if (typeof graphId !== "string") return undefined;
    const graph = await this.deps.project
      .graph(graphId, this.#config(thread), inspecting(access))
      .catch(refuseGraph);
    return graph.checkpointer === false ? undefined : graph;
  }

  /** The checkpointer travels in the config: a graph is shared by all threads and stays as it was loaded. */
  #config(
    thread: StatefulThread,
    checkpoint?: CheckpointInput | null,
    saver = this.deps.saver(),
  ): GraphConfig {
    const { checkpoint_id, checkpoint_ns, checkpoint_map } = checkpoint ?? {};
    return {
      configurable: {
        ...ownKeys(thread.config?.configurable),
        graph_id: thread.metadata.graph_id,
        thread_id: thread.thread_id,
        checkpoint_ns: checkpoint_ns ?? "",
        checkpoint_id: checkpoint_id ?? undefined,
        checkpoint_map: checkpoint_map ?? undefined,
        __pregel_checkpointer: saver,
      },
      ...(this.deps.store ? { store: this.deps.store } : {}),
    };
  }
}

/**
 * A list of values is a list of updates, one after the other, unless the whole state of the graph is a list.
 * @throws BadRequest one of them is no object
 */
function listed(graph: Graph, values: unknown): unknown[] {
  if (!Array.isArray(values) || ROOT_CHANNEL in graph.channels) return [values];
  if (values.length > 0 && values.length <= MOST_UPDATES && values.every(isRecord)) return values;
  throw new BadRequest(`values is an object, or a list of 1 to ${MOST_UPDATES} objects`);
}

/**
 * The graph whose checkpoints a namespace holds. LangGraph looks it up only when no checkpointer is lent.
 * A namespace that no declared subgraph has (a tool's own graph) is read by the root graph.
 */
async function addressed(root: Graph, checkpoint: CheckpointInput | null | undefined): Promise<Graph> {
  const namespace = checkpoint?.checkpoint_ns;
  return (namespace && (await subgraphAt(root, namespace))) || root;
}

/** LangGraph appends a link to its documentation, which is for the graph's author. */
function refusal(error: unknown): string {
  return reason(error).split("\n\nTroubleshooting URL")[0] ?? "";
}

/**
 * The graph cannot read what is stored, such as a pydantic state with a value that its schema refuses. The caller is
 * told why: only another checkpoint or another graph helps.
 */
function refuseReading(error: unknown, failures: ReadonlySet<unknown>): never {
  if (isOfBerth(error) || failures.has(error)) throw error;
  throw new BadRequest(`The state cannot be read: ${refusal(error)}`, { cause: error });
}

/** A function of the project makes no graph for the thread, such as one that needs a value of its runs. */
function refuseGraph(error: unknown): never {
  if (isOfBerth(error)) throw error;
  throw new BadRequest(`The graph cannot be made: ${refusal(error)}`, { cause: error });
}

const isOfBerth = (error: unknown): boolean => error instanceof Fault || error instanceof WorkerLost;

/** What callers once gave a run; LangGraph's own keys are not theirs to set. */
function ownKeys(configurable: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(configurable).filter(([key]) => !key.startsWith("__")));
}

function graphUpdate(values: unknown, asNode: string | null | undefined): GraphUpdate {
  return { values: values ?? null, ...(asNode ? { asNode } : {}) };
}

function beforeConfig(before: NonNullable<HistoryQuery["before"]>): GraphConfig {
  if (typeof before === "string") return { configurable: { checkpoint_id: before } };
  const named = before.configurable ?? before;
  return { configurable: { checkpoint_id: named.checkpoint_id } };
}

/**
 * The same checkpointer, with a list of what its calls failed with: from outside, an error that comes out
 * of a graph may be the database's or the graph's own.
 */
function watchFailures(saver: Saver): { saver: Saver; failures: ReadonlySet<unknown> } {
  const failures = new Set<unknown>();
  const noted = (error: unknown): never => {
    failures.add(error);
    throw error;
  };
  const watched = new Proxy(saver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (result instanceof Promise) return result.catch(noted);
        return isAsyncIterable(result) ? watchedItems(result, noted) : result;
      };
    },
  });
  return { saver: watched, failures };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* watchedItems(items: AsyncIterable<unknown>, noted: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    noted(error);
  }
}
