import {
  type CancelAction,
  type Clock,
  Conflict,
  createThread,
  type Database,
  deleteThread,
  hasInflight,
  inflightRuns,
  type NewThread,
  NotFound,
  settle,
  type Thread,
  type Threads,
} from "@berth/store";
import { encode } from "../wire.ts";
import type { CheckpointRef } from "./thread-state.ts";
import type { StateUpdate, Superstep, ThreadStates, Updated } from "./thread-states.ts";

export type ThreadChangesDeps = {
  db: Database;
  clock: Clock;
  threads: Threads;
  states: ThreadStates;
  /** Stops runs; not its class, which knows this folder. */
  queue: { cancel(runId: string, action: CancelAction): Promise<unknown> };
  /** Tells those who follow a thread that it is gone. */
  feeds: { end(threadId: string): void };
};

/** Changes of a thread that reach further than its row: its checkpoints, its status, its runs. */
export class ThreadChanges {
  constructor(private readonly deps: ThreadChangesDeps) {}

  /**
   * Creates a thread and writes its first checkpoints. A thread that is there already keeps its state.
   * @throws Conflict when it exists and `ifExists` is `raise`
   * @throws BadRequest when the supersteps do not fit the graph; no thread is left then
   */
  async create(
    wanted: NewThread,
    { ifExists, supersteps }: { ifExists: "raise" | "do_nothing"; supersteps: Superstep[] },
  ): Promise<Thread> {
    const { db, clock, states, threads } = this.deps;
    const now = clock.now();
    const fresh = { ...wanted, thread_id: wanted.thread_id ?? Bun.randomUUIDv7() };
    const { created, thread } = await db.write((tx) => createThread(tx, fresh, now));
    if (!created && ifExists === "raise") throw new Conflict("Thread already exists");
    if (!created || supersteps.length === 0) return thread;
    try {
      await this.#settle(thread.thread_id, await states.applySupersteps(thread, supersteps));
    } catch (error) {
      await db.write((tx) => deleteThread(tx, thread.thread_id));
      throw error;
    }
    return threads.get(thread.thread_id);
  }

  /**
   * Writes a checkpoint on top of the thread's newest, or of the one that the update names.
   * @throws NotFound no such thread or checkpoint
   * @throws Conflict a run of the thread is pending or running
   * @throws BadRequest the thread has no graph, or the graph does not take the update
   */
  async updateState(threadId: string, update: StateUpdate): Promise<CheckpointRef | null> {
    const { db, threads, states } = this.deps;
    const thread = await threads.get(threadId);
    if (await hasInflight(db, threadId)) throw new Conflict("Thread is busy");
    // LangGraph takes an unknown checkpoint for an empty one.
    if (update.checkpoint?.checkpoint_id) await states.state(thread, { checkpoint: update.checkpoint });
    const updated = await states.update(thread, update);
    await this.#settle(threadId, updated);
    return updated.checkpoint;
  }

  /**
   * Deletes a thread with its runs, events and checkpoints. What runs on it is told to stop; its lease is gone
   * with its row, so nothing that it writes afterwards is kept.
   * @throws NotFound
   */
  async delete(threadId: string): Promise<void> {
    const { db, queue, feeds } = this.deps;
    for (const runId of await inflightRuns(db, { thread_id: threadId }))
      await queue.cancel(runId, "rollback");
    const deleted = await db.write((tx) => deleteThread(tx, threadId));
    feeds.end(threadId);
    if (!deleted) throw new NotFound(`Thread with ID ${threadId} not found`);
  }

  async #settle(threadId: string, { status, interrupts }: Updated): Promise<void> {
    const now = this.deps.clock.now();
    const rest = { status, interrupts: encode(interrupts), error: null, stateUpdatedAt: now };
    await this.deps.db.write((tx) => settle(tx, threadId, rest, now));
  }
}
