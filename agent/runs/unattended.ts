import { type Admission, type Run, type RunLoss, recoverRun, type Tx } from "@berth/store";
import { storedValues } from "../threads/index.ts";
import { completionBody, type RunWebhooks, webhookOf } from "./completion.ts";

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
