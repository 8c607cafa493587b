import {
  type Admission,
  anyLapsed,
  type Clock,
  type Database,
  fence,
  lapsedRuns,
  type Run,
  type RunLoss,
  recoverRun,
  type Tx,
} from "@berth/store";
import { storedValues } from "../threads/index.ts";
import { completionBody, type RunWebhooks, webhookOf } from "./completion.ts";
import { ExecutorLost } from "./stop.ts";

type Settings = { eventsTtlMs: number; webhooks?: RunWebhooks | undefined };
type End = Pick<Parameters<typeof completionBody>[1], "status" | "error" | "startedAt">;

/** Decides what becomes of a run whose process went silent; where it is given up, its webhook is told. */
export async function recover(
  tx: Tx,
  run: Run,
  settings: Settings,
  now: number,
  loss: RunLoss = {},
): Promise<void> {
  const end = await recoverRun(tx, run, now, now + settings.eventsTtlMs, loss);
  if (end) await tell(tx, run, settings, { ...end, startedAt: now }, now);
}

type AbandonDeps = {
  db: Database;
  clock: Clock;
  owner: string;
  settings: Settings;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/**
 * The database refused what the run wrote, or its executor is gone: the attempt counts as lost. When that cannot be
 * written either, the lease lapses.
 * @returns whether it was written
 */
export async function abandon(deps: AbandonDeps, run: Run, error: unknown): Promise<boolean> {
  const isLost = error instanceof ExecutorLost;
  const event = isLost ? "run.executor_lost" : "run.unrecorded";
  deps.log(event, { run_id: run.run_id, attempt: run.attempt, error: String(error) });
  const loss = isLost ? { spared: !error.alone, reason: error.message } : {};
  const hold = { run_id: run.run_id, owner: deps.owner, attempt: run.attempt };
  const lost = deps.db.write(async (tx) => {
    const { cancel } = await fence(tx, hold);
    await recover(tx, { ...run, cancel }, deps.settings, deps.clock.now(), loss);
  });
  return lost.then(
    () => true,
    () => false,
  );
}

/** Takes back runs whose process went silent. @returns those */
export async function recoverLapsed({ db, settings }: AbandonDeps, now: number): Promise<Run[]> {
  if (!(await anyLapsed(db, now))) return [];
  return db.write(async (tx) => {
    const runs = await lapsedRuns(tx, now);
    for (const run of runs) await recover(tx, run, settings, now);
    return runs;
  });
}

/** Tells the webhooks of runs that were cancelled before they began. */
export async function tellInterrupted(
  tx: Tx,
  cancelled: Pick<Admission["cancelled"][number], "interrupted">[],
  settings: Settings,
  now: number,
): Promise<void> {
  for (const { interrupted } of cancelled) {
    if (interrupted) await tell(tx, interrupted, settings, { status: "interrupted" }, now);
  }
}

/** Nobody executed the end, so the thread's values are those that are stored. */
async function tell(tx: Tx, run: Run, { webhooks }: Settings, end: End, endedAt: number): Promise<void> {
  const webhook = webhookOf(run);
  if (!webhooks || webhook === undefined) return;
  const values = (await storedValues({ read: tx }, [run.thread_id])).get(run.thread_id);
  const text = values === undefined ? undefined : JSON.stringify(values);
  await webhooks.send(tx, webhook, completionBody(run, { ...end, endedAt, values: text }));
}
