import {
  type CancelAction,
  type Clock,
  Conflict,
  createThread,
  type Database,
  findThread,
  hasInflight,
  inflightRuns,
  type NewThread,
  NotFound,
  newestCheckpointId,
  Serial,
  setTitle,
  settle,
  stamp,
  type Thread,
  type Threads,
  type ThreadTtl,
  type Tx,
  threadScope,
} from "@berth/store";
import { encode } from "../wire.ts";
import type { CheckpointRef } from "./checkpoint-ref.ts";
import type { Superstep } from "./state-code.ts";
import { type StateUpdate, standing, type ThreadStanding, type ThreadStates } from "./thread-states.ts";
import type { RemoveThread } from "./thread-upkeep.ts";
import { titleOf } from "./title.ts";

type ThreadChangesDeps = {
  db: Database;
  clock: Clock;
  threads: Threads;
  states: ThreadStates;
  /** Stops runs; not its class, which knows this folder. */
  queue: { cancel(runId: string, action: CancelAction): Promise<unknown> };
  /** Tells those who follow a thread that it is gone. */
  feeds: { end(threadId: string): void };
  remove: RemoveThread;
  /** Takes what was said on threads that are gone out of their traces. */
  stripTraces(): Promise<void>;
  /** Of new threads that do not say how long they stay. */
  defaultTtl?: ThreadTtl | undefined;
};

/** A thread that may not be there yet, with the assistant that it would have. */
type BootstrappedThread = {
  thread_id: string;
  metadata: { graph_id: string; assistant_id: string };
};

/**
 * Changes of a thread that reach further than its row: its checkpoints, its status, its runs. An edit of its state is
 * one transaction with the row, so that neither is ever seen without the other.
 */
export class ThreadChanges {
  /** What is decided by the state of a thread is done before the next looks at it. */
  readonly #turns = new Serial();

  constructor(private readonly deps: ThreadChangesDeps) {}

  /**
   * Creates a thread and writes its first checkpoints. A thread that is there already keeps its state.
   * @throws Conflict when it exists and `ifExists` is `raise`
   * @throws BadRequest when the supersteps do not fit the graph; there is no thread then
   */
  async create(
    wanted: NewThread,
    { ifExists, supersteps }: { ifExists: "raise" | "do_nothing"; supersteps: Superstep[] },
  ): Promise<Thread> {
    const { db, clock, threads, defaultTtl } = this.deps;
    const ttl = wanted.ttl === undefined ? defaultTtl : wanted.ttl;
    const fresh = { ...wanted, ttl, thread_id: wanted.thread_id ?? Bun.randomUUIDv7() };
    return this.#turns.run(fresh.thread_id, async () => {
      const asSteps = supersteps.length > 0 && !(await threads.find(fresh.thread_id));
      if (asSteps)
        try {
          return await this.#createBySupersteps(fresh, supersteps);
        } catch (error) {
          // Another process may have made it meanwhile: then it keeps its state.
          if (!(error instanceof Conflict) || ifExists === "raise") throw error;
        }
      const { created, thread } = await db.write((tx) => createThread(tx, fresh, clock.now()), {
        scope: [threadScope(fresh.thread_id)],
      });
      if (!created && ifExists === "raise") throw new Conflict("Thread already exists");
      return thread;
    });
  }

  async #createBySupersteps(
    fresh: NewThread & { thread_id: string },
    supersteps: Superstep[],
  ): Promise<Thread> {
    const { clock, states, threads } = this.deps;
    const { thread_id, metadata = {} } = fresh;
    const now = clock.now();
    const said = supersteps.flatMap(({ updates }) => updates).map(({ values }) => values);
    await states.applySupersteps({ thread_id, metadata }, supersteps, async (tx, updated) => {
      const { created } = await createThread(tx, fresh, now);
      // Somebody else took the id meanwhile.
      if (!created) throw new Conflict("Thread already exists");
      await this.#settle(tx, thread_id, updated, said);
    });
    return threads.get(thread_id);
  }

  /**
   * Sees to it that a thread exists and has a state, the given values, before anything ran on it. It is at rest
   * then, whatever the graph would do next. A state that is there already stays.
   * @throws Conflict its first run is pending or running
   * @throws BadRequest the graph does not take the values; a thread that was not there is not there then
   */
  bootstrap(wanted: BootstrappedThread, update: Pick<StateUpdate, "values" | "as_node">): Promise<void> {
    // Two tabs, or one that asks twice, must not write it on top of each other.
    const bootstrap = () => this.#bootstrap(wanted, update);
    return this.#turns.run(wanted.thread_id, () =>
      // Where another process was faster, its state stays.
      bootstrap().catch((error) => (error instanceof Conflict ? bootstrap() : Promise.reject(error))),
    );
  }

  async #bootstrap(
    wanted: BootstrappedThread,
    { values, as_node }: Pick<StateUpdate, "values" | "as_node">,
  ): Promise<void> {
    const { db, clock, states, threads, defaultTtl } = this.deps;
    const { thread_id } = wanted;
    const thread = await threads.find(thread_id);
    const itsGraph = { ...wanted, ...thread, metadata: { ...wanted.metadata, ...thread?.metadata } };
    if (thread && (await states.state(itsGraph)).checkpoint) return;
    if (await hasInflight(db, thread_id)) throw new Conflict("Thread is busy");
    const now = clock.now();
    const first = { values, as_node: as_node ?? "__start__" };
    await states.update(itsGraph, first, async (tx, { interrupts }) => {
      const { created } = await createThread(tx, { ...wanted, ttl: defaultTtl }, now);
      if (!created) await stamp(tx, thread_id, itsGraph.metadata, now);
      await this.#settle(tx, thread_id, { interrupts, status: "idle" }, [values]);
    });
  }

  /**
   * Writes a checkpoint on top of the thread's newest, or of the one that the update names. Updates come one after the
   * other, each on top of the one before.
   * @throws NotFound no such thread or checkpoint
   * @throws Conflict a run of the thread is pending or running
   * @throws BadRequest the thread has no graph, or the graph does not take the update
   */
  updateState(threadId: string, update: StateUpdate): Promise<CheckpointRef | null> {
    return this.#turns.run(threadId, () => this.#updateState(threadId, update));
  }

  async #updateState(threadId: string, update: StateUpdate): Promise<CheckpointRef | null> {
    const { db, threads, states } = this.deps;
    const thread = await threads.get(threadId);
    if (await hasInflight(db, threadId)) throw new Conflict("Thread is busy");
    // LangGraph takes an unknown checkpoint for an empty one.
    if (update.checkpoint?.checkpoint_id) await states.state(thread, { checkpoint: update.checkpoint });
    const { checkpoint } = await states.update(thread, update, async (tx, updated) => {
      // Its checkpoints would outlive a thread that was deleted meanwhile.
      if (!(await findThread(tx, threadId))) throw new NotFound(`Thread with ID ${threadId} not found`);
      await this.#settle(tx, threadId, updated, [update.values]);
    });
    return checkpoint;
  }

  /**
   * Says of a thread how its newest state leaves it, once the run is deleted that had left it another way. Where its
   * graph cannot be asked it stays as it is.
   */
  async settleAtHead(threadId: string): Promise<void> {
    const { db, threads, states } = this.deps;
    const thread = await threads.find(threadId);
    const state = thread && (await states.state(thread).catch(() => undefined));
    if (!state) return;
    await db.write(async (tx) => {
      const newest = await newestCheckpointId(tx, { thread_id: threadId, ns: "" });
      // What went on meanwhile has said so itself.
      if (newest === state.checkpoint?.checkpoint_id) await this.#settle(tx, threadId, standing(state));
    });
  }

  /**
   * Deletes a thread with its runs, events and checkpoints. What runs on it is told to stop; its lease is gone
   * with its row, so nothing that it writes afterwards is kept. Its traces do not say any more what was said.
   * @throws NotFound
   */
  async delete(threadId: string): Promise<void> {
    const { db, queue, feeds, remove, stripTraces } = this.deps;
    for (const runId of await inflightRuns(db, { thread_id: threadId }))
      await queue.cancel(runId, "rollback");
    const deleted = await db.write((tx) => remove(tx, threadId));
    feeds.end(threadId);
    if (!deleted) throw new NotFound(`Thread with ID ${threadId} not found`);
    await stripTraces();
  }

  /** @param said values that were written: a conversation that is written rather than held has first words too */
  async #settle(
    tx: Tx,
    threadId: string,
    { status, interrupts }: ThreadStanding,
    said: unknown[] = [],
  ): Promise<void> {
    const now = this.deps.clock.now();
    const rest = { status, interrupts: encode(interrupts), error: null, stateUpdatedAt: now };
    await settle(tx, threadId, rest, now);
    const title = said.map(titleOf).find((words) => words);
    if (title) await setTitle(tx, threadId, title, { onlyIfNull: true });
  }
}
