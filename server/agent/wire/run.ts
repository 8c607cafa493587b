import { type Run, shownKwargs } from "@berth/agent";
import { type Static, Type } from "@sinclair/typebox";
import { Dictionary, Instant, isoTime, nullable, oneOf, Uuid } from "../../http/index.ts";

export const runStatuses = ["pending", "running", "error", "success", "timeout", "interrupted"] as const;
export const multitaskStrategies = ["reject", "rollback", "interrupt", "enqueue"] as const;

export const ShownRun = Type.Object(
  {
    run_id: Uuid,
    thread_id: Uuid,
    assistant_id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    status: oneOf(runStatuses),
    metadata: Dictionary,
    kwargs: Type.Record(Type.String(), Type.Unknown(), {
      description: "The values from the request that created the run.",
    }),
    multitask_strategy: oneOf(multitaskStrategies),
    langsmith_session_name: nullable(
      Type.String({ description: "Always null: clients of LangSmith's server look for it." }),
    ),
  },
  { title: "Run" },
);
export type ShownRun = Static<typeof ShownRun>;

/** What may be selected of a run. */
export const runFieldNames = Object.keys(ShownRun.properties) as (keyof ShownRun)[];

export function shownRun(run: Run): ShownRun {
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: isoTime(run.created_at),
    updated_at: isoTime(run.updated_at),
    status: run.status,
    metadata: run.metadata,
    kwargs: shownKwargs(run),
    multitask_strategy: run.multitask_strategy,
    langsmith_session_name: null,
  };
}
