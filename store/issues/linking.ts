import type { Tx } from "../database.ts";
import type { Description, IssueRules } from "./finding.ts";
import { readGroup } from "./finding-groups.ts";
import { eventPlace, issueCreated, issueTraceAdded } from "./issue-events.ts";
import type { Outbox } from "./outbox.ts";
import type { FindingRow, IssueRow, IssueTraceRow } from "./rows.ts";

/** So many of the fingerprints of an issue decide how severe it is. */
const MOST_JUDGED = 10;

/** The issues that a change opened and opened again, and how many traces it linked. */
export type Links = { opened: IssueRow[]; linked: number; reopened: IssueRow[] };

/** A fingerprint of a session, and the transaction in which something becomes of it. */
export type Linking = { tx: Tx; outbox: Outbox; sessionId: string; fingerprint: string; now: number };

/**
 * Adds findings to the issue of their fingerprint, with an event for each trace that is new to it.
 * A fixed issue that comes back is opened again; one that a person wants to hear nothing of stays as it is, silently.
 * @returns undefined where there is no such issue
 */
export async function linkFindings(
  linking: Linking,
  findings: readonly FindingRow[],
  rules: IssueRules,
): Promise<Links | undefined> {
  const { tx, now } = linking;
  const issue = await issueOf(linking);
  if (!issue) return undefined;
  const added = await insertLinks(linking, issue, findings);
  if (added.length === 0) return { opened: [], linked: 0, reopened: [] };
  const reopens = await comesBack(tx, issue, added);
  const changed: IssueRow = {
    ...issue,
    ...(reopens && { status: "open", resolution: null, closed_at: null }),
    severity: await severityOf(linking, issue, rules),
    trace_count: issue.trace_count + added.length,
    first_seen_at: Math.min(issue.first_seen_at, ...added.map(({ start_time }) => start_time)),
    last_seen_at: Math.max(issue.last_seen_at, ...added.map(({ start_time }) => start_time)),
    updated_at: now,
  };
  await tx.updateTable("issues").set(changed).where("id", "=", issue.id).execute();
  if (!isSilent(changed, now)) await announce(linking, changed, added, false);
  return { opened: [], linked: added.length, reopened: reopens ? [changed] : [] };
}

/** Opens an issue for all findings of the fingerprint, with its event and one for each trace. */
export async function openIssue(linking: Linking, description: Description): Promise<Links> {
  const { tx, sessionId, fingerprint, now } = linking;
  const nothing = { opened: [], linked: 0, reopened: [] };
  const findings = await waitingFindings(linking);
  const [newest] = findings;
  const session = await tx
    .selectFrom("sessions")
    .select("workspace_id")
    .where("id", "=", sessionId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!newest || !session || (await issueOf(linking))) return nothing;
  const starts = findings.map(({ start_time }) => start_time);
  const issue = newIssue(session.workspace_id, sessionId, description, {
    trace_count: findings.length,
    first_seen_at: Math.min(...starts),
    last_seen_at: Math.max(...starts),
    now,
  });
  await tx.insertInto("issues").values(issue).execute();
  const { version, detector, error_type, node, tool, message, reason } = newest;
  await tx
    .insertInto("issue_fingerprints")
    .values({
      session_id: sessionId,
      fingerprint,
      issue_id: issue.id,
      version,
      detector,
      error_type,
      node,
      tool,
      message,
      reason,
      created_at: now,
    })
    .execute();
  const added = await insertLinks(linking, issue, findings.reverse());
  await announce(linking, issue, added, true);
  return { opened: [issue], linked: added.length, reopened: [] };
}

/** An issue as it is when somebody opens it. */
export function newIssue(
  workspaceId: string,
  sessionId: string,
  { name, description, severity, cause = null }: Description,
  { now, ...seen }: Pick<IssueRow, "trace_count" | "first_seen_at" | "last_seen_at"> & { now: number },
): IssueRow {
  return {
    id: Bun.randomUUIDv7(),
    workspace_id: workspaceId,
    session_id: sessionId,
    name,
    description,
    cause,
    severity,
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
  };
}

/** Whether a person wants to hear nothing of it. */
function isSilent({ muted_until, status, resolution }: IssueRow, now: number): boolean {
  if (muted_until !== null && muted_until > now) return true;
  return status === "closed" && resolution !== "fixed";
}

/**
 * Whether a fixed issue shows in a run that began, and came here, after it was closed: what a deployed process sends
 * late tells nothing of a repair, and neither does a clock that is ahead.
 */
async function comesBack(tx: Tx, issue: IssueRow, added: readonly IssueTraceRow[]): Promise<boolean> {
  if (issue.status !== "closed" || issue.resolution !== "fixed" || issue.closed_at === null) return false;
  const later = await tx
    .selectFrom("traces")
    .select("id")
    .where(
      "id",
      "in",
      added.map(({ trace_id }) => trace_id),
    )
    .where("created_at", ">", issue.closed_at)
    .where("start_time", ">", issue.closed_at)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** As severe as the worst of what it is recognised by: one that was merged has several. */
async function severityOf(
  { tx, sessionId, fingerprint }: Linking,
  issue: IssueRow,
  { severity }: IssueRules,
): Promise<number> {
  if (!severity || issue.severity_kept === 1) return issue.severity;
  const others = await tx
    .selectFrom("issue_fingerprints")
    .select("fingerprint")
    .where("issue_id", "=", issue.id)
    .where("fingerprint", "<>", fingerprint)
    .orderBy("created_at", "desc")
    .limit(MOST_JUDGED - 1)
    .execute();
  const judged: number[] = [];
  for (const one of [fingerprint, ...others.map((other) => other.fingerprint)]) {
    const group = await readGroup(tx, sessionId, one);
    if (group) judged.push(Math.min(3, Math.max(0, Math.round(severity(group)))));
  }
  return judged.length > 0 ? Math.min(...judged) : issue.severity;
}

function issueOf({ tx, sessionId, fingerprint }: Linking): Promise<IssueRow | undefined> {
  return tx
    .selectFrom("issue_fingerprints")
    .innerJoin("issues", "issues.id", "issue_fingerprints.issue_id")
    .selectAll("issues")
    .where("issue_fingerprints.session_id", "=", sessionId)
    .where("issue_fingerprints.fingerprint", "=", fingerprint)
    .executeTakeFirst();
}

/** The findings that have no issue yet, newest first. */
function waitingFindings({ tx, sessionId, fingerprint }: Linking): Promise<FindingRow[]> {
  return tx
    .selectFrom("findings")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .where("issue_id", "is", null)
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc")
    .execute();
}

/** @returns the links that were not there yet */
async function insertLinks(
  { tx, now }: Linking,
  { id }: IssueRow,
  findings: readonly FindingRow[],
): Promise<IssueTraceRow[]> {
  const added: IssueTraceRow[] = [];
  for (const finding of findings) {
    const { session_id, fingerprint, trace_id, run_id, start_time, thread_id, reason } = finding;
    await tx
      .updateTable("findings")
      .set({ issue_id: id })
      .where("session_id", "=", session_id)
      .where("fingerprint", "=", fingerprint)
      .where("trace_id", "=", trace_id)
      .execute();
    const link = { run_id, fingerprint, start_time, thread_id, comment: reason || null, linked_at: now };
    const row = await tx
      .insertInto("issue_traces")
      .values({ issue_id: id, trace_id, ...link })
      .onConflict((there) => there.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row) added.push(row);
  }
  return added;
}

/** One deed, one `request_id`: the issue, if it is new, and each trace that was linked. */
async function announce(
  { tx, outbox, sessionId }: Linking,
  issue: IssueRow,
  added: readonly IssueTraceRow[],
  isNew: boolean,
): Promise<void> {
  const place = await eventPlace(tx, sessionId, outbox.settings.publicUrl);
  if (!place) return;
  const requestId = Bun.randomUUIDv7();
  const traces = added.map((link) => issueTraceAdded(issue, link, place, requestId));
  await outbox.enqueue(tx, isNew ? [issueCreated(issue, place, requestId), ...traces] : traces);
}
