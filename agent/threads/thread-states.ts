import {
  allOf,
  type Database,
  type Draft,
  NotFound,
  requireQuiet,
  storeDraft,
  type Threads,
  type Tx,
} from "@berth/store";
import type { Interrupt } from "@langchain/langgraph";
import type { CheckpointRef } from "./checkpoint-ref.ts";
import type {
  CheckpointInput,
  HistoryQuery,
  StateCode,
  StateEdit,
  StatefulThread,
  StateQuery,
  Superstep,
} from "./state-code.ts";
import { isOpen, type ThreadState } from "./thread-state.ts";

export type StateUpdate = {
  values?: unknown;
  as_node?: string | null;
  checkpoint?: CheckpointInput | null;
};

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
  db: Pick<Database, "write">;
  /** The graphs that the threads belong to. */
  code: StateCode;
};

/** Reads and edits the state of threads. */
export class ThreadStates {
  constructor(private readonly deps: ThreadStatesDeps) {}

  /**
   * The state at a checkpoint, by default at the newest of the root graph.
   * @param query.subgraphs whether tasks carry the states of their subgraphs, instead of naming their checkpoints
   * @throws NotFound when that checkpoint does not exist
   */
  state(thread: StatefulThread, query: StateQuery = {}): Promise<ThreadState> {
    return this.deps.code.state(thread, query);
  }

  /** The states of a thread, newest first. */
  async history(thread: StatefulThread, query: HistoryQuery = {}): Promise<ThreadState[]> {
    return allOf({ groups: this.historyInGroups(thread, query) });
  }

  /** The same, one at a time: each may be as large as the thread. */
  async *historyInGroups(thread: StatefulThread, query: HistoryQuery = {}): AsyncGenerator<ThreadState[]> {
    for await (const state of this.deps.code.history(thread, query)) yield [state];
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
    return this.#apply(thread, { checkpoint, wanted: { values, as_node } }, along);
  }

  /**
   * Writes one checkpoint after the other, as the runs they are taken from did: all of them or none.
   * @throws BadRequest when the thread has no graph or the graph does not take an update
   * @throws Conflict as {@link update}
   */
  applySupersteps(thread: StatefulThread, supersteps: Superstep[], along?: AlongWith): Promise<Updated> {
    return this.#apply(thread, { wanted: { supersteps } }, along);
  }

  async #apply(thread: StatefulThread, edit: StateEdit, along?: AlongWith): Promise<Updated> {
    const { draft, ...drafted } = await this.deps.code.edit(thread, edit);
    const updated = { ...drafted, ...standing(drafted.state) };
    await this.deps.db.write(async (tx) => {
      await storeEdit(tx, draft);
      await along?.(tx, updated);
    });
    return updated;
  }
}

/**
 * Stores an edit.
 * @throws Conflict a run of the thread is pending or running, or the thread went on since it was read
 */
export async function storeEdit(tx: Tx, draft: Draft): Promise<void> {
  await requireQuiet(tx, draft.threadId);
  await storeDraft(tx, draft);
}

/** The open interrupts of a state by task id, as a thread shows them. */
export function openInterrupts({ tasks }: ThreadState): Record<string, Interrupt[]> {
  const open = tasks.filter(isOpen);
  return Object.fromEntries(open.map(({ id, interrupts }) => [id, interrupts]));
}

/**
 * Whether a thread waits: a node is next, or a task has an open interrupt. LangGraph for JavaScript leaves `next`
 * empty where a node interrupts again after its first answer.
 */
export function isWaiting(state: ThreadState): boolean {
  return state.next.length > 0 || state.tasks.some(isOpen);
}

/** What a thread at rest is by its newest state. */
export function standing(state: ThreadState): ThreadStanding {
  return { interrupts: openInterrupts(state), status: isWaiting(state) ? "interrupted" : "idle" };
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
  if (isBusy) return state;
  const asking = state.tasks.filter(isOpen).map(({ name }) => name);
  if (state.interrupts.length > 0) return state.next.length > 0 ? state : { ...state, next: asking };
  return { ...state, next: [], tasks: isBootstrapped(state) ? [] : state.tasks };
}

/** Its only checkpoint was written by hand: the graph's first node waits for an input. */
function isBootstrapped({ metadata, parent_checkpoint }: ThreadState): boolean {
  return parent_checkpoint === null && metadata.source === "update";
}
