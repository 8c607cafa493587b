import { type Changed, cancelsFor, type Database, QUEUE_SCOPE, type Signals } from "@berth/store";
import type { ThreadFeeds } from "../events/index.ts";
import type { StopReason } from "./stop.ts";

type Deps = {
  db: Database;
  threads: ThreadFeeds;
  owner: string;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** What a process has to do with what others change. */
type Own = {
  nudges: Signals;
  runs: { has(runId: string): boolean; readonly size: number };
  stop(runId: string, why: StopReason): void;
  claim(): Promise<void>;
};

/** What other processes on the same database have changed that concerns the runs of this one, and its readers. */
export class ForeignChanges {
  #version = -1;

  constructor(
    private readonly deps: Deps,
    private readonly own: Own,
  ) {}

  /** Hears what was committed, as soon as the database tells. */
  hear(changed: Changed): void {
    const failed = (error: unknown) => this.deps.log("queue.unreadable", { error: String(error) });
    if (changed === "anything") return void this.#lookAtAll().catch(failed);
    let isOurs = false;
    for (const name of changed) {
      const [kind, id = ""] = name.split(":");
      if (kind === "thread") this.deps.threads.poke(id);
      if (kind === "run") this.own.nudges.give(id);
      isOurs ||= name === QUEUE_SCOPE || this.own.runs.has(id);
    }
    if (isOurs) void this.#act().catch(failed);
  }

  /** Looks whether anything may have changed; cheap, so it may be called often. */
  async watch(): Promise<void> {
    const version = this.deps.db.foreignVersion();
    if (version === this.#version) return;
    this.#version = version;
    await this.#lookAtAll();
  }

  async #lookAtAll(): Promise<void> {
    await this.lookAgain();
    await this.own.claim();
  }

  /** Has all look again who wait for what others do, and stops what they asked to be cancelled. */
  async lookAgain(): Promise<void> {
    this.own.nudges.giveAll();
    this.deps.threads.pokeAll();
    await this.#stopAsked();
  }

  /** Stops what others asked to be cancelled, and takes up what they left. */
  async #act(): Promise<void> {
    await this.#stopAsked();
    await this.own.claim();
  }

  async #stopAsked(): Promise<void> {
    if (this.own.runs.size === 0) return;
    const { db, owner } = this.deps;
    for (const { run_id, cancel } of await cancelsFor(db, owner)) this.own.stop(run_id, cancel);
  }
}
