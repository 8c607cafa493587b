import type { IssueRow } from "../schema/index.ts";
import type { Description } from "./finding.ts";
import { soundCause, soundDescription, soundName, soundSeverity } from "./judged.ts";

/** An issue as it is when somebody opens it. */
export function newIssue(
  workspaceId: string,
  sessionId: string,
  { name, description, severity, why = "", cause }: Description,
  { now, ...seen }: Pick<IssueRow, "trace_count" | "first_seen_at" | "last_seen_at"> & { now: number },
): IssueRow {
  return {
    id: Bun.randomUUIDv7(),
    workspace_id: workspaceId,
    session_id: sessionId,
    name: soundName(name),
    description: soundDescription(description),
    cause: cause ? soundCause(cause) : null,
    severity: soundSeverity(severity),
    severity_reason: soundName(why),
    judged_at: null,
    severity_kept: 0,
    text_kept: 0,
    status: "open",
    resolution: null,
    merged_into: null,
    muted_until: null,
    ...seen,
    created_at: now,
    updated_at: now,
    closed_at: null,
    regressions: 0,
    regressed_at: null,
    known_revisions: null,
  };
}
