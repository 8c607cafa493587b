import type { CancelAction, Instant, Json, MultitaskStrategy, RunRow, RunStatus } from "../schema/index.ts";

type Values = Record<string, unknown>;

/** A run as the code sees it: JSON columns parsed, everything else as stored. */
export type Run = {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  created_at: Instant;
  updated_at: Instant;
  status: RunStatus;
  metadata: Values;
  kwargs: Values;
  multitask_strategy: MultitaskStrategy;
  not_before: Instant;
  attempt: number;
  cancel: CancelAction | null;
  on_completion: "delete" | "keep" | null;
  ended_at: Instant | null;
  /** How it failed, as JSON of `{error, message}`. */
  error: Json | null;
};

export function toRun(row: RunRow): Run {
  return {
    run_id: row.run_id,
    thread_id: row.thread_id,
    assistant_id: row.assistant_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    status: row.status,
    metadata: JSON.parse(row.metadata) as Values,
    kwargs: JSON.parse(row.kwargs) as Values,
    multitask_strategy: row.multitask_strategy,
    not_before: row.not_before,
    attempt: row.attempt,
    cancel: row.cancel,
    on_completion: row.on_completion,
    ended_at: row.ended_at,
    error: row.error,
  };
}

export const isInflight = (status: RunStatus): boolean => status === "pending" || status === "running";
