import type { JsonObject, Run, RunStatus, Tx } from "@berth/store";
import { type RunKwargs, shownKwargs } from "./kwargs.ts";

/** What tells the `webhook` of a run that the run has ended. */
export type RunWebhooks = {
  /** @throws Invalid no webhook may have this address */
  check(webhook: string): Promise<void>;
  /** Puts it into the outbox, in the transaction that ends the run. */
  send(tx: Tx, webhook: string, body: JsonObject): Promise<void>;
  /** That transaction is committed. */
  ring(): void;
};

export type Completion = {
  status: RunStatus;
  /** Undefined for a run that was over before it began. */
  startedAt?: number | undefined;
  endedAt: number;
  /** JSON of the thread's last values; undefined where there are none. */
  values?: string | undefined;
  error?: { error: string; message: string } | undefined;
};

export const webhookOf = ({ kwargs }: Pick<Run, "kwargs">): string | undefined =>
  (kwargs as RunKwargs).webhook;

/** The body that a run's webhook gets (`agent-server.md` §5.7): `error` is a text there, as on the official server. */
export function completionBody(run: Run, ended: Completion): JsonObject {
  const { status, startedAt, endedAt, values, error = null } = ended;
  const at = (instant: number) => new Date(instant).toISOString();
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: at(run.created_at),
    updated_at: at(endedAt),
    status,
    metadata: run.metadata,
    kwargs: shownKwargs(run),
    multitask_strategy: run.multitask_strategy,
    run_started_at: startedAt === undefined ? null : at(startedAt),
    run_ended_at: at(endedAt),
    // Frozen with the rest: each attempt sends the same bytes.
    webhook_sent_at: at(endedAt),
    values: values === undefined ? null : JSON.parse(values),
    error: error?.message ?? null,
  };
}
