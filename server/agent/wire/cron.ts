import type { Cron } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, Instant, isoTime, isoTimeOrNull, nullable, oneOf, Uuid } from "../../http/index.ts";

/** What may become of the thread of each run. */
export const OnRunCompleted = oneOf(["delete", "keep"]);

export const ShownCron = Type.Object(
  {
    cron_id: Uuid,
    assistant_id: Uuid,
    thread_id: nullable(Uuid),
    on_run_completed: nullable(OnRunCompleted),
    schedule: Type.String(),
    timezone: nullable(Type.String()),
    end_time: nullable(Instant),
    enabled: Type.Boolean(),
    next_run_date: nullable(Instant),
    last_run_date: nullable(Instant),
    last_run_id: nullable(
      Type.String({ format: "uuid", description: "The newest run that the cron started, and its trace." }),
    ),
    payload: Dictionary,
    metadata: Dictionary,
    user_id: nullable(Type.String()),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Cron" },
);
export type ShownCron = Static<typeof ShownCron>;

export function shownCron({ user_permissions: _, ...cron }: Cron): ShownCron {
  const { next_run_at, last_run_at, end_time, created_at, updated_at, payload, ...plain } = cron;
  const { assistant_id, metadata } = cron;
  return {
    ...plain,
    end_time: isoTimeOrNull(end_time),
    next_run_date: isoTimeOrNull(next_run_at),
    last_run_date: isoTimeOrNull(last_run_at),
    payload: { assistant_id, ...payload, metadata },
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}
