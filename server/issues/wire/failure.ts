import { plainFinding, type WaitingFailure } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { Instant, isoTime, nullable, pageOf, Uuid } from "../../http/index.ts";

const Text = Type.String();

export const ShownFailure = Type.Object(
  {
    fingerprint: Text,
    session_id: Uuid,
    detector: Text,
    error_type: Text,
    node: nullable(Text),
    tool: nullable(Text),
    message: Type.String({ description: "The message without its variable parts." }),
    reason: Text,
    traces: Type.Integer({ description: "How many traces show it." }),
    trace_id: Type.String({ description: "The newest of these traces." }),
    run_id: Type.String({ description: "The span of that trace that shows it." }),
    first_seen_at: Instant,
    last_seen_at: Instant,
  },
  { $id: "Failure" },
);
export type ShownFailure = Static<typeof ShownFailure>;
export const FailuresPage = pageOf("FailuresList", ShownFailure, {
  total: Type.Integer({ description: "How many there are on all pages together." }),
  failed_runs: Type.Integer({
    description: "Runs that failed; at most 5,000 with an error and 5,000 that ran out of time.",
  }),
  failed_runs_without_issue: Type.Integer({ description: "How many of those are in no issue." }),
});
export type FailuresPage = Static<typeof FailuresPage>;

export function shownFailure({ first_seen_at, last_seen_at, ...failure }: WaitingFailure): ShownFailure {
  const seen = { first_seen_at: isoTime(first_seen_at), last_seen_at: isoTime(last_seen_at) };
  return { ...failure, ...plainFinding(failure), ...seen };
}
