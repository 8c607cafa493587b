import type { Database } from "../database.ts";
import { NotFound } from "../errors.ts";
import type { IssueFingerprintRow, IssueRow, IssueTraceRow } from "./rows.ts";

/** What an issue is recognised by, in a form for people and programs. */
export type IssueFingerprint = Omit<IssueFingerprintRow, "session_id" | "issue_id">;

/** Something that keeps going wrong. */
export type Issue = Omit<IssueRow, "severity_kept" | "text_kept"> & {
  /** A person chose the severity, or the words. */
  severity_kept: boolean;
  text_kept: boolean;
  fingerprints: IssueFingerprint[];
};

/** That a trace shows an issue. */
export type IssueTrace = IssueTraceRow;

/** An issue is muted for good. */
export const MUTED_FOREVER = 253_402_300_799_999;

const MOST_FINGERPRINTS = 1_000;

/** An issue of a workspace. */
export async function findIssueRow(
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
export async function toIssues(db: Database["read"], rows: readonly IssueRow[]): Promise<Issue[]> {
  if (rows.length === 0) return [];
  const fingerprints = await db
    .selectFrom("issue_fingerprints")
    .selectAll()
    .where(
      "issue_id",
      "in",
      rows.map(({ id }) => id),
    )
    .limit(MOST_FINGERPRINTS)
    .execute();
  fingerprints.sort((a, b) => a.created_at - b.created_at || (a.fingerprint < b.fingerprint ? -1 : 1));
  const byIssue = Map.groupBy(fingerprints, ({ issue_id }) => issue_id);
  return rows.map((row) => ({
    ...row,
    severity_kept: row.severity_kept === 1,
    text_kept: row.text_kept === 1,
    fingerprints: (byIssue.get(row.id) ?? []).map(({ session_id: _, issue_id: __, ...print }) => print),
  }));
}

/** @throws NotFound */
export async function getIssue(db: Database["read"], workspaceId: string, id: string): Promise<Issue> {
  const [issue] = await toIssues(db, [await getIssueRow(db, workspaceId, id)]);
  if (!issue) throw new NotFound("Issue not found");
  return issue;
}
