import {
  type Assistant,
  Conflict,
  type Cron,
  type Crons,
  type Database,
  Fault,
  NotFound,
  noteCronRun,
  type Tx,
  takeTick,
} from "@berth/store";
import { configurableUser, userOf } from "../auth.ts";
import { planRun, type RunPlace, type RunQueue, type RunRequest, requireCheckpoint } from "../runs/index.ts";
import { nextTick } from "./crons.ts";

type CronSchedulerDeps = {
  db: Database;
  crons: Crons;
  /** @throws NotFound no such assistant or graph */
  assistant: (given: string) => Promise<Assistant>;
  queue: Pick<RunQueue, "submit">;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** How many are fired at once. */
const BATCH = 100;

/**
 * Fires the crons that are due.
 *
 * A tick is taken and its run is written in one transaction, so that neither a crash nor another process on the same
 * database makes two runs of it, or none. A cron knows only its next tick: those that went by while nobody was there
 * to see them fire once, and the next one lies ahead again.
 */
export class CronScheduler {
  constructor(private readonly deps: CronSchedulerDeps) {}

  /** One turn of the timer loop; answers how many runs it created. */
  async once(now: number): Promise<number> {
    let fired = 0;
    let last: Cron | undefined;
    do {
      const due: Cron[] = await this.deps.crons.due(now, BATCH, last);
      // Side by side: they share transactions.
      const outcomes = await Promise.all(due.map((cron) => this.#turn(cron, now)));
      fired += outcomes.filter(Boolean).length;
      last = due.length === BATCH ? due.at(-1) : undefined;
    } while (last);
    return fired;
  }

  /** One that cannot fire must not keep those behind it from firing. */
  async #turn(cron: Cron, now: number): Promise<boolean> {
    try {
      return await this.#fire(cron, now);
    } catch (error) {
      this.deps.log("cron.failed", { cron_id: cron.cron_id, error: String(error) });
      return false;
    }
  }

  async #fire(cron: Cron, now: number): Promise<boolean> {
    const { db, queue, log } = this.deps;
    const { cron_id, next_run_at: due, end_time } = cron;
    const next = nextTick(cron, now);
    const over = end_time !== null && now > end_time;
    const assistant = over ? undefined : await this.#assistant(cron);
    if (!assistant) {
      const ours = await db.write((tx) => takeTick(tx, cron, next));
      if (ours) log("cron.skipped", { cron_id, due, reason: over ? "past its end" : "its graph is gone" });
      return false;
    }
    const wanted = planRun(requestOf(cron), assistant, placeOf(cron), now);
    let ours = false;
    const take = async (tx: Tx) => {
      ours = await takeTick(tx, cron, next);
      if (!ours) throw new Conflict("the tick is no longer due");
      await requireCheckpoint(tx, wanted);
    };
    try {
      const run = await queue.submit(wanted, false, { first: take });
      await db.write((tx) => noteCronRun(tx, { cron_id, run_id: run.run_id, at: now }));
      log("cron.fired", { cron_id, due, late_ms: due === null ? 0 : now - due, run_id: run.run_id });
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (ours) log("cron.skipped", { cron_id, due, reason: error.message });
      return false;
    }
  }

  /** Undefined when the project does not have its graph any more. */
  async #assistant({ assistant_id }: Cron): Promise<Assistant | undefined> {
    try {
      return await this.deps.assistant(assistant_id);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }
}

/** What a user scheduled is the user's, as if the user had started it now. */
function placeOf({ thread_id, user_id, user_permissions: permissions }: Cron): RunPlace {
  const user = user_id === null ? undefined : userOf({ identity: user_id, permissions });
  return {
    threadId: thread_id ?? undefined,
    headers: user ? configurableUser(user) : {},
    follow: "none",
  };
}

function requestOf({ cron_id, assistant_id, payload, metadata, on_run_completed }: Cron): RunRequest {
  return {
    ...payload,
    assistant_id,
    metadata: { ...metadata, cron_id },
    on_completion: on_run_completed,
  };
}
