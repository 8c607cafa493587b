import {
  allOf,
  BadRequest,
  checkContainment,
  type Database,
  NotFound,
  type Threads,
  type Tx,
} from "@berth/store";
import type { BaseStore, Interrupt } from "@langchain/langgraph";
import { type CheckpointRef, checkpointRef, type DraftCheckpoints } from "../checkpoints/index.ts";
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
import { isRecord } from "../record.ts";
import { emptyState, isOpen, type ThreadState, threadState } from "./thread-state.ts";

/** A list of updates holds no more. */
const MOST_UPDATES = 1_000;

/** What a thread's state needs to know of the thread; `config.configurable` is the first run's. */
export type StatefulThread = {
  thread_id: string;
  metadata: Record<string, unknown>;
  config?: { configurable?: Record<string, unknown> };
};

/** A checkpoint as a client names it; its thread is the request's. Everything else in it is ignored. */
type CheckpointInput = {
  checkpoint_id?: string | null;
  checkpoint_ns?: string | null;
  checkpoint_map?: Record<string, unknown> | null;
};

type HistoryQuery = {
  /** @default 10 */
  limit?: number;
  /** Only older ones than this: an id, a checkpoint, or a config that names one. */
  before?: string | (CheckpointInput & { configurable?: CheckpointInput }) | null;
  /** Only those whose metadata have these values. */
  metadata?: Record<string, unknown> | null;
  /** The subgraph, or the one checkpoint, to list. */
  checkpoint?: CheckpointInput | null;
};

export type StateUpdate = {
  values?: unknown;
  as_node?: string | null;
  checkpoint?: CheckpointInput | null;
};

/** Updates that are applied as one step, each in the name of a node. */
export type Superstep = { updates: { values?: unknown; command?: WireCommand | null; as_node?: string }[] };

/** What an update came to: the checkpoint that it made, and what the thread is now. */
type Updated = ThreadStanding & {
  checkpoint: CheckpointRef | null;
  /** The root graph's newest state. */
  state: ThreadState;
};

/** How a state leaves its thread while nothing runs on it. */
export type ThreadStanding = {
  /** Open interrupts by task id. */
  interrupts: Record<string, Interrupt[]>;
  /** Whether anything is left to do; a resume or an empty input would go on with it. */
  status: "idle" | "interrupted";
};

/** What else the transaction writes that stores an edit. */
type AlongWith = (tx: Tx, updated: Updated) => Promise<void>;

type ThreadStatesDeps = {
  project: Project;
  db: Pick<Database, "write">;
  /** Makes a checkpointer for one read: it remembers what it read. */
  saver: () => Saver;
  /** Makes one for one edit of a thread; its checkpoints say what made them. */
  draft: (threadId: string, metadata: { graph_id: string }) => Saver & Pick<DraftCheckpoints, "write">;
  store?: BaseStore | undefined;
};

/** The only channel of a graph whose state is one unnamed value. */
const ROOT_CHANNEL = "__root__";

/** Reads and edits the state of threads by the graphs that they belong to. */
export class ThreadStates {
  constructor(private readonly deps: ThreadStatesDeps) {}

  /**
   * The state at a checkpoint, by default at the newest of the root graph.
   * @param subgraphs whether tasks carry the states of their subgraphs, instead of naming their checkpoints
   * @throws NotFound when that checkpoint does not exist
   */
  async state(
    thread: StatefulThread,
    { checkpoint, subgraphs = false }: { checkpoint?: CheckpointInput | null; subgraphs?: boolean } = {},
  ): Promise<ThreadState> {
    const graph = await this.#graphOf(thread);
    if (!graph) return emptyState();
    const config = this.#config(thread, checkpoint);
    const snapshot = await (await addressed(graph, checkpoint)).getState(config, { subgraphs });
    if (checkpoint?.checkpoint_id && !snapshot.createdAt) {
      throw new NotFound(`Checkpoint ${checkpoint.checkpoint_id} not found`);
    }
    return threadState(snapshot);
  }

  /** The states of a thread, newest first. */
  async history(thread: StatefulThread, query: HistoryQuery = {}): Promise<ThreadState[]> {
    return allOf({ groups: this.historyInGroups(thread, query) });
  }

  /** The same, one at a time: each may be as large as the thread. */
  async *historyInGroups(thread: StatefulThread, query: HistoryQuery = {}): AsyncGenerator<ThreadState[]> {
    const graph = await this.#graphOf(thread);
    if (!graph) return;
    const { limit = 10, before, metadata, checkpoint } = query;
    checkContainment(metadata);
    const snapshots = (await addressed(graph, checkpoint)).getStateHistory(this.#config(thread, checkpoint), {
      limit,
      ...(before ? { before: beforeConfig(before) } : {}),
      ...(metadata ? { filter: metadata } : {}),
    });
    for await (const snapshot of snapshots) yield [threadState(snapshot)];
  }

  /**
   * Writes a checkpoint with these values on top of another, by default the newest.
   * @throws BadRequest when the thread has no graph or the graph does not take the update
   * @throws Conflict a run of the thread is under way, or it went on meanwhile
   */
  update(
    thread: StatefulThread,
    { values, as_node, checkpoint }: StateUpdate,
    along?: AlongWith,
  ): Promise<Updated> {
    const steps = (graph: Graph) =>
      listed(graph, values).map((one) => ({ updates: [graphUpdate(one, as_node)] }));
    return this.#apply(thread, checkpoint, steps, along);
  }

  /**
   * Writes one checkpoint after the other, as the runs they are taken from did: all of them or none.
   * @throws BadRequest when the thread has no graph or the graph does not take an update
   * @throws Conflict as {@link update}
   */
  applySupersteps(thread: StatefulThread, supersteps: Superstep[], along?: AlongWith): Promise<Updated> {
    const steps = supersteps.map(({ updates }) => ({
      updates: updates.map(({ values, command, as_node }) =>
        graphUpdate(command ? this.deps.project.command(command) : values, as_node),
      ),
    }));
    return this.#apply(thread, undefined, () => steps, along);
  }

  async #apply(
    thread: StatefulThread,
    checkpoint: CheckpointInput | null | undefined,
    steps: (graph: Graph) => { updates: GraphUpdate[] }[],
    along?: AlongWith,
  ): Promise<Updated> {
    const root = await this.#graphOf(thread, "threads.update");
    if (!root) throw new BadRequest(`Thread ${thread.thread_id} has no graph ID`);
    const graph = await addressed(root, checkpoint);
    if (checkpoint?.checkpoint_ns && graph === root) {
      throw new BadRequest(`Subgraph "${nodePath(checkpoint.checkpoint_ns)}" not found`);
    }
    const supersteps = steps(graph);
    const draft = this.deps.draft(thread.thread_id, { graph_id: String(thread.metadata.graph_id) });
    const { saver, failures } = watchFailures(draft);
    const config = this.#config(thread, checkpoint, saver);
    const written = await graph.bulkUpdateState(config, supersteps).catch((error) => {
      // What the graph refuses is the caller's; what the database refuses is ours.
      if (failures.has(error)) throw error;
      throw new BadRequest(refusal(error), { cause: error });
    });
    const reader = (await this.#graphOf(thread)) ?? root;
    const state = threadState(await reader.getState(this.#config(thread, undefined, saver)));
    const updated = { checkpoint: checkpointRef(written), state, ...standing(state) };
    await this.deps.db.write(async (tx) => {
      await draft.write(tx);
      await along?.(tx, updated);
    });
    return updated;
  }

  async #graphOf(
    thread: StatefulThread,
    access: "threads.read" | "threads.update" = "threads.read",
  ): Promise<Graph | undefined> {
    const graphId = thread.metadata.graph_id;
    if (typeof graphId !== "string") return undefined;
    const graph = await this.deps.project.graph(graphId, this.#config(thread), inspecting(access));
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

/** The open interrupts of a state by task id, as a thread shows them. */
export function openInterrupts({ tasks }: ThreadState): Record<string, Interrupt[]> {
  const open = tasks.filter(isOpen);
  return Object.fromEntries(open.map(({ id, interrupts }) => [id, interrupts]));
}

/** What a thread at rest is by its newest state. */
export function standing(state: ThreadState): ThreadStanding {
  return {
    interrupts: openInterrupts(state),
    status: state.next.length > 0 ? "interrupted" : "idle",
  };
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

export type ShownStateDeps = { threads: Pick<Threads, "find">; states: Pick<ThreadStates, "state"> };

/**
 * A thread's newest state as a chat needs it, which reads from `next` whether there is something to wait for: a
 * thread on which something runs has always something next. One at rest has nothing unless it asks a question,
 * whatever its graph would do if it were told to go on: it was stopped, has failed, or was only bootstrapped.
 * @throws NotFound no such thread, or nothing of it yet
 */
export async function shownState(
  { threads, states }: ShownStateDeps,
  threadId: string,
  options: { subgraphs?: boolean } = {},
): Promise<ThreadState> {
  // First: a state that is read later is never older than what the thread says of itself.
  const thread = await threads.find(threadId);
  const state = thread && (await states.state(thread, options));
  const isBusy = thread?.status === "busy";
  // One of which nothing is known yet is as good as none.
  if (!state || (!isBusy && !state.checkpoint)) throw new NotFound(`Thread ${threadId} not found`);
  if (isBusy && state.next.length === 0) return { ...state, next: ["__start__"] };
  if (isBusy || state.interrupts.length > 0) return state;
  return { ...state, next: [], tasks: isBootstrapped(state) ? [] : state.tasks };
}

/** Its only checkpoint was written by hand: the graph's first node waits for an input. */
function isBootstrapped({ metadata, parent_checkpoint }: ThreadState): boolean {
  return parent_checkpoint === null && metadata.source === "update";
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
