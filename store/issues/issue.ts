import type { Database } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { IssueFingerprintRow, IssueRow, IssueTraceRow } from "../schema/index.ts";
import type { Description } from "./finding.ts";
import { soundCause, soundDescription, soundName, soundSeverity } from "./judged.ts";

/** What an issue is recognised by, in a form for people and programs. */
type IssueFingerprint = Omit<IssueFingerprintRow, "session_id" | "issue_id">;

/** Something that keeps going wrong. */
export type Issue = Omit<IssueRow, "severity_kept" | "text_kept" | "known_revisions" | "judged_at"> & {
  /** A person chose the severity, or the words. */
  severity_kept: boolean;
  text_kept: boolean;
  /** It is closed as fixed, from the next revision on. */
  fixed_in_next_revision: boolean;
  fingerprints: IssueFingerprint[];
};

/** That a trace shows an issue. */
export type IssueTrace = IssueTraceRow;

/** An issue is muted for good. */
export const MUTED_FOREVER = 253_402_300_799_999;

/** Of one issue, the first that it was recognised by. */
const MOST_FINGERPRINTS = 100;

/** An issue of a workspace. */
async function findIssueRow(
  db: Database["read"],
  workspaceId: string,
  id: string,
): Promise<IssueRow | undefined> {
  return db
    .selectFrom("issues")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
}

/** @throws NotFound */
export async function getIssueRow(db: Database["read"], workspaceId: string, id: string): Promise<IssueRow> {
  const row = await findIssueRow(db, workspaceId, id);
  if (!row) throw new NotFound("Issue not found");
  return row;
}

/** Issues with what they are recognised by. */
export function toIssues(db: Database["read"], rows: readonly IssueRow[]): Promise<Issue[]> {
  return Promise.all(
    rows.map(async ({ known_revisions, judged_at: _, ...row }) => ({
      ...row,
      fixed_in_next_revision: known_revisions !== null,
      severity_kept: row.severity_kept === 1,
      text_kept: row.text_kept === 1,
      fingerprints: await fingerprintsOf(db, row.id),
    })),
  );
}

/** One issue at a time: a merged one of very many must not crowd out the others. */
async function fingerprintsOf(db: Database["read"], issueId: string): Promise<IssueFingerprint[]> {
  const rows = await db
    .selectFrom("issue_fingerprints")
    .selectAll()
    .where("issue_id", "=", issueId)
    .orderBy("created_at")
    .orderBy("fingerprint")
    .limit(MOST_FINGERPRINTS)
    .execute();
  return rows.map(({ session_id: _, issue_id: __, ...print }) => print);
}

/** @throws NotFound */
export async function getIssue(db: Database["read"], workspaceId: string, id: string): Promise<Issue> {
  const [issue] = await toIssues(db, [await getIssueRow(db, workspaceId, id)]);
  if (!issue) throw new NotFound("Issue not found");
  return issue;
}

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
