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
  setTitle,
  settle,
  stamp,
  type Thread,
  type Threads,
  type ThreadTtl,
} from "@berth/store";
import { encode } from "../wire.ts";
import type { CheckpointRef } from "./thread-state.ts";
import type { StateUpdate, Superstep, ThreadStates, Updated } from "./thread-states.ts";
import { titleOf } from "./title.ts";
import { Turns } from "./turns.ts";

export type ThreadChangesDeps = {
  db: Database;
  clock: Clock;
  threads: Threads;
  states: ThreadStates;
  /** Stops runs; not its class, which knows this folder. */
  queue: { cancel(runId: string, action: CancelAction): Promise<unknown> };
  /** Tells those who follow a thread that it is gone. */
  feeds: { end(threadId: string): void };
  /** Of new threads that do not say how long they stay. */
  defaultTtl?: ThreadTtl | undefined;
};

/** A thread that may not be there yet, with the assistant that it would have. */
export type BootstrappedThread = {
  thread_id: string;
  metadata: { graph_id: string; assistant_id: string };
};

/** Changes of a thread that reach further than its row: its checkpoints, its status, its runs. */
export class ThreadChanges {
  readonly #turns = new Turns();

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
    const { db, clock, states, threads, defaultTtl } = this.deps;
    const now = clock.now();
    const ttl = wanted.ttl === undefined ? defaultTtl : wanted.ttl;
    const fresh = { ...wanted, ttl, thread_id: wanted.thread_id ?? Bun.randomUUIDv7() };
    const { created, thread } = await db.write((tx) => createThread(tx, fresh, now));
    if (!created && ifExists === "raise") throw new Conflict("Thread already exists");
    if (!created || supersteps.length === 0) return thread;
    try {
      await this.#settle(thread.thread_id, await states.applySupersteps(thread, supersteps));
      for (const { values } of supersteps.flatMap(({ updates }) => updates)) {
        await this.#name(thread.thread_id, values);
      }
    } catch (error) {
      await db.write((tx) => deleteThread(tx, thread.thread_id));
      throw error;
    }
    return threads.get(thread.thread_id);
  }

  /**
   * Sees to it that a thread exists and has a state, the given values, before anything ran on it. It is at rest
   * then, whatever the graph would do next. A state that is there already stays.
   * @throws Conflict its first run is pending or running
   * @throws BadRequest the graph does not take the values; a thread that was not there is gone again
   */
  bootstrap(wanted: BootstrappedThread, update: Pick<StateUpdate, "values" | "as_node">): Promise<void> {
    // Two tabs, or one that asks twice, must not write it on top of each other.
    return this.#turns.take(wanted.thread_id, () => this.#bootstrap(wanted, update));
  }

  async #bootstrap(
    wanted: BootstrappedThread,
    { values, as_node }: Pick<StateUpdate, "values" | "as_node">,
  ): Promise<void> {
    const { db, clock, states, defaultTtl } = this.deps;
    const now = clock.now();
    const fresh = { ...wanted, ttl: defaultTtl };
    const { created, thread } = await db.write((tx) => createThread(tx, fresh, now));
    const itsGraph = { ...thread, metadata: { ...wanted.metadata, ...thread.metadata } };
    try {
      if (!created && (await states.state(itsGraph)).checkpoint) return;
      if (await hasInflight(db, wanted.thread_id)) throw new Conflict("Thread is busy");
      const updated = await states.update(itsGraph, { values, as_node: as_node ?? "__start__" });
      await this.#settle(wanted.thread_id, { ...updated, status: "idle" });
      if (!created) await db.write((tx) => stamp(tx, wanted.thread_id, itsGraph.metadata, now));
      await this.#name(wanted.thread_id, values);
    } catch (error) {
      if (created) await db.write((tx) => deleteThread(tx, wanted.thread_id));
      throw error;
    }
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
    await this.#name(threadId, update.values);
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

  /** A conversation that is written rather than held has first words too. */
  async #name(threadId: string, values: unknown): Promise<void> {
    const title = titleOf(values);
    if (title) await this.deps.db.write((tx) => setTitle(tx, threadId, title, { onlyIfNull: true }));
  }

  async #settle(threadId: string, { status, interrupts }: Updated): Promise<void> {
    const now = this.deps.clock.now();
    const rest = { status, interrupts: encode(interrupts), error: null, stateUpdatedAt: now };
    await this.deps.db.write((tx) => settle(tx, threadId, rest, now));
  }
}
