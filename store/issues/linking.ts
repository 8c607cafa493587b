import type { Tx } from "../database/index.ts";
import { plainText } from "../plain-text.ts";
import type { FindingRow, IssueRow, IssueTraceRow } from "../schema/index.ts";
import { type Description, type IssueRules, plainFinding } from "./finding.ts";
import { newIssue } from "./issue.ts";
import { eventPlace, issueCreated, issueTraceAdded, type Regression } from "./issue-events.ts";
import { noteHistory, noteJudged } from "./issue-history.ts";
import { comesBack, nameOf, placesOf, type TracePlace } from "./issue-revisions.ts";
import { judge } from "./judged.ts";
import { templateOf } from "./kinds.ts";
import type { Outbox } from "./outbox.ts";

export { newIssue };

/** Findings that one statement links. */
const AT_ONCE = 200;

/** The issues that a change opened and opened again, and how many traces it linked. */
export type Links = { opened: IssueRow[]; linked: number; reopened: IssueRow[] };

/** A fingerprint of a session, and the transaction in which something becomes of it. */
type Linking = { tx: Tx; outbox: Outbox; sessionId: string; fingerprint: string; now: number };

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
  const places = await placesOf(
    tx,
    findings.map(({ trace_id }) => trace_id),
  );
  const added = await insertLinks(linking, issue, findings, places);
  if (added.length === 0) return { opened: [], linked: 0, reopened: [] };
  const back = comesBack(issue, added, places);
  const starts = added.map(({ start_time }) => start_time);
  const grown: IssueRow = {
    ...issue,
    ...(back && OPEN),
    ...(back && { regressions: issue.regressions + 1, regressed_at: now }),
    trace_count: issue.trace_count + added.length,
    first_seen_at: Math.min(issue.first_seen_at, ...starts),
    last_seen_at: Math.max(issue.last_seen_at, ...starts),
    updated_at: now,
  };
  const isJudged =
    issue.judged_at !== null && issue.judged_at >= (rules.judgedSince ?? Number.POSITIVE_INFINITY);
  const words = isJudged && !back ? {} : { ...(await judge(tx, grown, rules)), judged_at: now };
  const changed = { ...grown, ...words };
  await tx.updateTable("issues").set(changed).where("id", "=", issue.id).execute();
  const regression = back && (await noteRegression(linking, changed, back));
  if (changed.severity !== issue.severity) await noteJudged(tx, issue, issue.severity, changed.severity, now);
  if (!isSilent(changed, now)) await announce(linking, changed, added, { regression });
  return { opened: [], linked: added.length, reopened: back ? [changed] : [] };
}

/** What an issue is that is open again. */
export const OPEN = { status: "open", resolution: null, closed_at: null, known_revisions: null } as const;

/** One that was fixed and came back: a line in its history, and what the event of that trace says. */
async function noteRegression(
  { tx, now }: Linking,
  issue: IssueRow,
  { trace_id, run_id, revision_id }: IssueTraceRow,
): Promise<Regression> {
  const revision = revision_id === null ? null : await nameOf(tx, revision_id);
  const { regressions: count } = issue;
  const at = { revision_id, revision_number: revision?.number ?? null };
  await noteHistory(tx, issue, "regressed", "engine", { trace_id, run_id, ...at, count }, now);
  return { trace_id, ...at, count, regressed_at: now };
}

/** Opens an issue for all findings of the fingerprint, with its event and one for each trace. */
export async function openIssue(linking: Linking, description: Description): Promise<Links> {
  const { tx, sessionId, now } = linking;
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
  await tx
    .insertInto("issues")
    .values({ ...issue, judged_at: now })
    .execute();
  await noteHistory(tx, issue, "opened", "engine", { traces: findings.length }, now);
  await insertFingerprint(linking, issue.id, newest);
  const places = await placesOf(
    tx,
    findings.map(({ trace_id }) => trace_id),
  );
  const added = await insertLinks(linking, issue, findings.reverse(), places);
  await announce(linking, issue, added, { isNew: true });
  return { opened: [issue], linked: added.length, reopened: [] };
}

/** What the issue is recognised by from now on, as people may see it. */
async function insertFingerprint({ tx, now }: Linking, issueId: string, newest: FindingRow): Promise<void> {
  const { session_id, fingerprint, version, detector, thrown_at } = newest;
  const template = await templateOf(tx, session_id, fingerprint);
  const texts = plainFinding({ ...newest, message: template ?? newest.message });
  const known = { session_id, fingerprint, issue_id: issueId, version, detector, thrown_at };
  await tx
    .insertInto("issue_fingerprints")
    .values({ ...known, ...texts, created_at: now })
    .execute();
}

/** Whether a person wants to hear nothing of it. */
function isSilent({ muted_until, status, resolution, known_revisions }: IssueRow, now: number): boolean {
  if (muted_until !== null && muted_until > now) return true;
  // Of one that is fixed in the next revision it is known that this one shows it.
  return status === "closed" && (resolution !== "fixed" || known_revisions !== null);
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
  { tx, sessionId, fingerprint, now }: Linking,
  { id }: IssueRow,
  findings: readonly FindingRow[],
  places: ReadonlyMap<string, TracePlace>,
): Promise<IssueTraceRow[]> {
  const added = new Map<string, IssueTraceRow>();
  for (let at = 0; at < findings.length; at += AT_ONCE) {
    const part = findings.slice(at, at + AT_ONCE);
    const traceIds = part.map(({ trace_id }) => trace_id);
    await tx
      .updateTable("findings")
      .set({ issue_id: id })
      .where("session_id", "=", sessionId)
      .where("fingerprint", "=", fingerprint)
      .where("trace_id", "in", traceIds)
      .execute();
    const links = part.map(({ trace_id, run_id, start_time, thread_id, reason }) => {
      const revision_id = places.get(trace_id)?.revision_id ?? null;
      const comment = plainText(reason) || null;
      const link = { run_id, fingerprint, start_time, thread_id, comment, linked_at: now, revision_id };
      return { issue_id: id, trace_id, ...link };
    });
    const rows = await tx
      .insertInto("issue_traces")
      .values(links)
      .onConflict((there) => there.doNothing())
      .returningAll()
      .execute();
    for (const row of rows) added.set(row.trace_id, row);
  }
  return findings.flatMap(({ trace_id }) => added.get(trace_id) ?? []);
}

/** One deed, one `request_id`: the issue, if it is new, and each trace that was linked. */
async function announce(
  { tx, outbox, sessionId }: Linking,
  issue: IssueRow,
  added: readonly IssueTraceRow[],
  { isNew = false, regression }: { isNew?: boolean; regression?: Regression | undefined },
): Promise<void> {
  const place = await eventPlace(tx, sessionId, outbox.settings.publicUrl);
  if (!place) return;
  const requestId = Bun.randomUUIDv7();
  const traces = added.map((link) => issueTraceAdded(issue, link, place, requestId, regression));
  await outbox.enqueue(tx, isNew ? [issueCreated(issue, place, requestId), ...traces] : traces);
}
