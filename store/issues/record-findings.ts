import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { FindingRow } from "../schema/index.ts";
import { CONTENT_DELETED, cutText, markScanned, spansOf } from "../traces/index.ts";
import type { Finding, IssueRules, Scan } from "./finding.ts";
import { readGroup } from "./finding-groups.ts";
import { type Issue, toIssues } from "./issue.ts";
import { keepKind } from "./kinds.ts";
import { type Links, linkFindings, openIssue } from "./linking.ts";
import type { Outbox } from "./outbox.ts";
import { countScan, type ScanHold } from "./scan-lease.ts";

/** What became of the findings of a scan. */
export type Recorded = { opened: Issue[]; linked: number; reopened: Issue[] };

type Deps = { db: Database; clock: Clock; outbox: Outbox };
type Group = {
  sessionId: string;
  hold: ScanHold;
  fingerprint: string;
  /** The last of them: it knows what the messages of its kind have in common now. */
  finding: Finding;
  rows: FindingRow[];
};

const LONGEST_MESSAGE = 2_000;
/** Findings that one statement writes. */
const AT_ONCE = 200;

/**
 * Makes issues of findings, or adds them to those that are there; then notes that their traces were looked at.
 * Each issue changes in one transaction with the events that tell of it. What was recorded before a crash is
 * recognised when its traces are looked at again.
 * @throws LeaseLost the scan is over
 */
export async function recordFindings(
  deps: Deps,
  sessionId: string,
  scan: Scan,
  rules: IssueRules,
): Promise<Recorded> {
  const { db, outbox } = deps;
  const all: Links = { opened: [], linked: 0, reopened: [] };
  const rows = await findingRows(deps, sessionId, scan.findings);
  for (const [fingerprint, ofOne] of Map.groupBy(rows, (row) => row.fingerprint)) {
    const finding = scan.findings.findLast((each) => each.fingerprint === fingerprint);
    if (!finding) continue;
    const group = { sessionId, hold: scan.hold, fingerprint, finding, rows: ofOne };
    const links = await recordGroup(deps, group, rules);
    all.opened.push(...links.opened);
    all.reopened.push(...links.reopened);
    all.linked += links.linked;
    outbox.ring();
  }
  await db.write(async (tx) => {
    const { hold, unreadable, faults, fault } = scan;
    const did = { scanned: scan.scanned.length, findings: scan.findings.length, unreadable, faults, fault };
    await countScan(tx, hold, did);
    await markScanned(tx, scan.scanned);
  });
  return {
    opened: await toIssues(db.read, all.opened),
    reopened: await toIssues(db.read, all.reopened),
    linked: all.linked,
  };
}

async function recordGroup(deps: Deps, group: Group, rules: IssueRules): Promise<Links> {
  const { db, clock, outbox } = deps;
  const { sessionId, fingerprint, hold, rows } = group;
  const first = await db.write(async (tx) => {
    const kept = await withContent(tx, rows);
    const fresh = await insertFindings(tx, kept);
    const context = { tx, outbox, sessionId, fingerprint, now: clock.now() };
    // The kind may hold the text of a deleted run: a later scan makes it from the others.
    const taken = kept.length === rows.length ? await keepKind(context, group.finding, rules) : [];
    const links = await linkFindings(context, [...taken, ...fresh], rules);
    await noteLinks(tx, hold, links);
    return links ?? (await countWaiting(tx, group, rules.minTraces));
  });
  if (typeof first !== "number") return first;
  if (first < rules.minTraces) return { opened: [], linked: 0, reopened: [] };
  // Outside of the transaction: a model may think about the words for as long as it likes.
  const seen = await readGroup(db.read, sessionId, fingerprint);
  const description = seen && (await rules.describe(seen));
  if (!description) return { opened: [], linked: 0, reopened: [] };
  return db.write(async (tx) => {
    const context = { tx, outbox, sessionId, fingerprint, now: clock.now() };
    const links = await openIssue(context, description);
    await noteLinks(tx, hold, links);
    return links;
  });
}

/** Counts what was done in the name of a scan, which has to be running still. */
async function noteLinks(tx: Tx, hold: ScanHold, links: Links | undefined): Promise<void> {
  const { opened = [], linked = 0, reopened = [] } = links ?? {};
  await countScan(tx, hold, { opened: opened.length, linked, reopened: reopened.length });
}

/** @returns those that were not there yet */
async function insertFindings(tx: Tx, rows: readonly FindingRow[]): Promise<FindingRow[]> {
  const fresh = new Set<string>();
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const inserted = await tx
      .insertInto("findings")
      .values(rows.slice(at, at + AT_ONCE))
      .onConflict((there) => there.doNothing())
      .returning("trace_id")
      .execute();
    for (const { trace_id } of inserted) fresh.add(trace_id);
  }
  return rows.filter(({ trace_id }) => fresh.has(trace_id));
}

/** Those whose trace has its content still: a thread may be deleted while its traces are looked at. */
async function withContent(tx: Tx, rows: readonly FindingRow[]): Promise<FindingRow[]> {
  const deleted = new Set<string>();
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const stripped = await tx
      .selectFrom("traces")
      .select("id")
      .where(
        "id",
        "in",
        rows.slice(at, at + AT_ONCE).map(({ trace_id }) => trace_id),
      )
      .where("metadata", "=", JSON.stringify(CONTENT_DELETED))
      .execute();
    for (const { id } of stripped) deleted.add(id);
  }
  return rows.filter(({ trace_id }) => !deleted.has(trace_id));
}

async function countWaiting(tx: Tx, { sessionId, fingerprint }: Group, most: number): Promise<number> {
  const rows = await tx
    .selectFrom("findings")
    .select("trace_id")
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .where("issue_id", "is", null)
    .limit(most)
    .execute();
  return rows.length;
}

/** Findings with when and where their runs began; one for each fingerprint and trace. */
async function findingRows(
  { db, clock }: Deps,
  sessionId: string,
  findings: readonly Finding[],
): Promise<FindingRow[]> {
  const now = clock.now();
  const places = await tracesOf(db, [...new Set(findings.map(({ trace_id }) => trace_id))]);
  const rows = new Map<string, FindingRow>();
  for (const finding of findings) {
    const key = `${finding.fingerprint} ${finding.trace_id}`;
    if (rows.has(key)) continue;
    const place = places.get(finding.trace_id);
    const start = place && (await startOf(db, place, finding.run_id));
    const { kind: _, thrown_at = null, ...said } = finding;
    rows.set(key, {
      ...said,
      thrown_at,
      session_id: sessionId,
      error_type: cutText(finding.error_type, LONGEST_MESSAGE),
      message: cutText(finding.message, LONGEST_MESSAGE),
      reason: cutText(finding.reason, LONGEST_MESSAGE),
      thread_id: place?.thread_id ?? null,
      start_time: start ?? place?.start_time ?? now,
      issue_id: null,
      created_at: now,
    });
  }
  return [...rows.values()];
}

/** When a span of a trace began; that of the trace itself is known. */
async function startOf(
  db: Database,
  trace: Parameters<typeof spansOf>[1],
  spanId: string,
): Promise<number | undefined> {
  if (spanId === trace.id) return trace.start_time;
  return (await spansOf(db.read, trace)).find(({ id }) => id === spanId)?.start_time;
}

async function tracesOf(db: Database, ids: string[]) {
  const rows =
    ids.length === 0
      ? []
      : await db.read
          .selectFrom("traces")
          .select(["id", "thread_id", "start_time", "workspace_id", "session_id"])
          .where("id", "in", ids)
          .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
