import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { BoundedDictionary, limitField, nullable, offsetField, oneOf, Uuid } from "../http/index.ts";
import { runFields } from "./run-schemas.ts";
import { multitaskStrategies, OnRunCompleted } from "./wire/index.ts";

const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

const LONGEST_SCHEDULE = 256;
const LONGEST_ZONE = 64;

const Schedule = Type.String({
  minLength: 1,
  maxLength: LONGEST_SCHEDULE,
  description: "Five fields: minute, hour, day of the month, month, day of the week.",
});

const Enabled = Type.Boolean({ description: "If false, the cron does not fire. True by default." });

const times = {
  timezone: optional(Type.String({ maxLength: LONGEST_ZONE, description: "An IANA name; UTC by default." })),
  end_time: optional(
    Type.String({
      format: "date-time",
      description: "The cron does not fire after this time. A time without an offset is UTC.",
    }),
  ),
};

/** What each run is asked to do, as for a run of one's own (`agent-server.md` §5.1). */
const payload = {
  input: runFields.input,
  config: runFields.config,
  context: runFields.context,
  webhook: runFields.webhook,
  interrupt_before: runFields.interrupt_before,
  interrupt_after: runFields.interrupt_after,
  stream_mode: runFields.stream_mode,
  stream_subgraphs: runFields.stream_subgraphs,
  stream_resumable: runFields.stream_resumable,
  durability: runFields.durability,
  checkpoint_during: runFields.checkpoint_during,
  /** On threads of their own, runs never meet; clients send it all the same, and read it back. */
  multitask_strategy: optional(oneOf(multitaskStrategies)),
};

const created = {
  schedule: Schedule,
  assistant_id: runFields.assistant_id,
  enabled: optional(Enabled),
  metadata: runFields.metadata,
  ...times,
  ...payload,
};

export const ThreadCronBody = Type.Object(created);

export const CronBody = Type.Object({
  ...created,
  on_run_completed: Type.Optional(
    nullable(
      Type.Union(OnRunCompleted.anyOf, {
        description: "What happens to each run's thread; `delete` by default.",
      }),
    ),
  ),
});

export const CronPatch = Type.Object({
  schedule: optional(Schedule),
  enabled: optional(Enabled),
  metadata: runFields.metadata,
  on_run_completed: optional(OnRunCompleted),
  ...times,
  ...payload,
});

export const cronSorts = [
  "cron_id",
  "assistant_id",
  "thread_id",
  "next_run_date",
  "end_time",
  "created_at",
  "updated_at",
] as const;

const fields = [
  ...cronSorts,
  "last_run_date",
  "last_run_id",
  "on_run_completed",
  "schedule",
  "timezone",
  "user_id",
  "payload",
  "metadata",
  "enabled",
] as const;

const filters = {
  assistant_id: optional(Type.String({ description: "An assistant's id, or the name of a graph." })),
  thread_id: optional(Uuid),
  metadata: optional(BoundedDictionary),
};

export const CronFilters = Type.Object(filters);
export type CronFilters = Static<typeof CronFilters>;

export const CronSearchBody = Type.Object({
  ...filters,
  enabled: optional(Type.Boolean()),
  limit: limitField({ default: 10, maximum: 1000 }),
  offset: offsetField(),
  sort_by: optional(oneOf(cronSorts)),
  sort_order: optional(oneOf(["asc", "desc"])),
  select: optional(Type.Array(oneOf(fields))),
});
