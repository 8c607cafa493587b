import { sql } from "kysely";
import type { Tx } from "../database/index.ts";
import { BadRequest, Conflict } from "../errors.ts";
import type { FindingRow, FingerprintRow, IssueFingerprintRow, IssueRow } from "../schema/index.ts";
import { getIssueRow } from "./issue.ts";
import { newIssue } from "./linking.ts";

/** What another issue is made of: some of the fingerprints, or some of the traces. */
export type SplitPart = { fingerprints: readonly string[] } | { traceIds: readonly string[] };

export type SplitTexts = { name?: string | undefined; description?: string | undefined };

/** An issue that was merged into another one is no more than its name. */
export function refuseMerged({ merged_into }: IssueRow): void {
  if (merged_into !== null) throw new Conflict(`The issue was merged into ${merged_into}.`);
}

/** See `Issues.merge`. */
export async function mergeIssue(
  tx: Tx,
  workspaceId: string,
  id: string,
  intoId: string,
  now: number,
): Promise<void> {
  const issue = await getIssueRow(tx, workspaceId, id);
  const into = await getIssueRow(tx, workspaceId, intoId);
  if (issue.id === into.id) throw new BadRequest("An issue cannot be merged into itself.");
  if (issue.session_id !== into.session_id) {
    throw new BadRequest("Issues of different tracing projects cannot be merged.");
  }
  refuseMerged(issue);
  refuseMerged(into);
  await tx.updateTable("issue_fingerprints").set({ issue_id: into.id }).where("issue_id", "=", id).execute();
  await tx.updateTable("findings").set({ issue_id: into.id }).where("issue_id", "=", id).execute();
  await moveLinks(tx, id, into.id);
  await tx
    .updateTable("issues")
    .set({ status: "closed", resolution: null, merged_into: into.id, closed_at: now, updated_at: now })
    .where("id", "=", id)
    .execute();
  await recount(tx, id, now);
  await recount(tx, into.id, now);
}

/**
 * See `Issues.split`.
 * @returns the id of the new issue
 */
export async function splitIssue(
  tx: Tx,
  { workspaceId, id }: { workspaceId: string; id: string },
  part: SplitPart,
  texts: SplitTexts,
  now: number,
): Promise<string> {
  const issue = await getIssueRow(tx, workspaceId, id);
  refuseMerged(issue);
  const fingerprints = await tx
    .selectFrom("issue_fingerprints")
    .selectAll()
    .where("issue_id", "=", id)
    .execute();
  const { name = `${issue.name} (split)`, description = issue.description } = texts;
  const said = { name, description, severity: issue.severity };
  const created = newIssue(workspaceId, issue.session_id, said, {
    trace_count: 0,
    first_seen_at: issue.first_seen_at,
    last_seen_at: issue.last_seen_at,
    now,
  });
  const row = { ...created, text_kept: texts.name || texts.description ? 1 : 0 };
  await tx.insertInto("issues").values(row).execute();
  const target = { from: issue, to: row.id, fingerprints };
  if ("fingerprints" in part) await splitFingerprints(tx, target, part.fingerprints, now);
  else await splitTraces(tx, target, part.traceIds, now);
  await recount(tx, id, now);
  await recount(tx, row.id, now);
  return row.id;
}

type Target = { from: IssueRow; to: string; fingerprints: IssueFingerprintRow[] };

async function splitFingerprints(
  tx: Tx,
  { from, to, fingerprints }: Target,
  wanted: readonly string[],
  now: number,
): Promise<void> {
  const known = new Set(fingerprints.map(({ fingerprint }) => fingerprint));
  const unknown = wanted.find((fingerprint) => !known.has(fingerprint));
  if (unknown !== undefined) throw new BadRequest(`The issue has no fingerprint ${unknown}.`);
  const rest = [...known].filter((fingerprint) => !wanted.includes(fingerprint));
  if (wanted.length === 0 || rest.length === 0) {
    throw new BadRequest("Name some of the fingerprints of the issue, and not all of them.");
  }
  await giveFingerprints(tx, from, to, wanted);
  await moveLinks(tx, from.id, to, { column: "fingerprint", of: wanted });
  // A trace that shows both has a link to one of them only.
  await linkFound(tx, from.session_id, wanted, to, now);
  await linkFound(tx, from.session_id, rest, from.id, now);
}

async function splitTraces(
  tx: Tx,
  { from, to, fingerprints }: Target,
  traceIds: readonly string[],
  now: number,
) {
  const ids = [...new Set(traceIds)];
  const linked = await tx
    .selectFrom("issue_traces")
    .select("trace_id")
    .where("issue_id", "=", from.id)
    .where("trace_id", "in", ids)
    .execute();
  if (ids.length === 0 || linked.length < ids.length) {
    throw new BadRequest("Name some of the traces of the issue.");
  }
  if (linked.length >= from.trace_count) throw new BadRequest("Some traces have to stay with the issue.");
  await moveLinks(tx, from.id, to, { column: "trace_id", of: ids });
  await tx
    .updateTable("findings")
    .set({ issue_id: to })
    .where("issue_id", "=", from.id)
    .where("trace_id", "in", ids)
    .execute();
  await splitKinds(tx, { issue: from, to, now });
  // What shows in no trace that stayed, is from now on what the new issue is recognised by.
  const gone: string[] = [];
  for (const { fingerprint } of fingerprints) {
    if (!(await showsIn(tx, from, fingerprint))) gone.push(fingerprint);
  }
  if (gone.length > 0 && gone.length < fingerprints.length) await giveFingerprints(tx, from, to, gone);
}

async function showsIn(tx: Tx, { id, session_id }: IssueRow, fingerprint: string): Promise<boolean> {
  const finding = await tx
    .selectFrom("findings")
    .select("trace_id")
    .where("session_id", "=", session_id)
    .where("fingerprint", "=", fingerprint)
    .where("issue_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  if (finding) return true;
  // A link is kept longer than the finding that it was made for.
  const link = await tx
    .selectFrom("issue_traces")
    .select("trace_id")
    .where("issue_id", "=", id)
    .where("fingerprint", "=", fingerprint)
    .limit(1)
    .executeTakeFirst();
  return link !== undefined;
}

async function giveFingerprints(
  tx: Tx,
  { session_id }: IssueRow,
  to: string,
  fingerprints: readonly string[],
): Promise<void> {
  for (const table of ["issue_fingerprints", "findings"] as const) {
    await tx
      .updateTable(table)
      .set({ issue_id: to })
      .where("session_id", "=", session_id)
      .where("fingerprint", "in", fingerprints)
      .execute();
  }
}

type Some = { column: "fingerprint" | "trace_id"; of: readonly string[] };

/** Moves links from one issue to another, some or all; a trace that has one there already needs none. */
async function moveLinks(tx: Tx, from: string, to: string, some?: Some): Promise<void> {
  const { column, of } = some ?? { column: "trace_id" as const, of: [] };
  const theirs = tx.selectFrom("issue_traces").select("trace_id").where("issue_id", "=", to);
  await tx
    .deleteFrom("issue_traces")
    .where("issue_id", "=", from)
    .where("trace_id", "in", theirs)
    .$if(some !== undefined, (query) => query.where(column, "in", of))
    .execute();
  await tx
    .updateTable("issue_traces")
    .set({ issue_id: to })
    .where("issue_id", "=", from)
    .$if(some !== undefined, (query) => query.where(column, "in", of))
    .execute();
}

/** Links every trace that shows one of the fingerprints and has no link to the issue. */
async function linkFound(
  tx: Tx,
  sessionId: string,
  fingerprints: readonly string[],
  issueId: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto("issue_traces")
    .columns([
      "issue_id",
      "trace_id",
      "run_id",
      "fingerprint",
      "start_time",
      "thread_id",
      "comment",
      "linked_at",
    ])
    .expression((eb) =>
      eb
        .selectFrom("findings")
        .select([
          sql<string>`${issueId}`.as("issue_id"),
          "trace_id",
          "run_id",
          "fingerprint",
          "start_time",
          "thread_id",
          "reason as comment",
          sql<number>`cast(${now} as bigint)`.as("linked_at"),
        ])
        .where("session_id", "=", sessionId)
        .where("fingerprint", "in", fingerprints),
    )
    .onConflict((there) => there.doNothing())
    .execute();
}

/** Brings the sums of an issue in line with its links. */
async function recount(tx: Tx, id: string, now: number): Promise<void> {
  const sums = await tx
    .selectFrom("issue_traces")
    .select(({ fn }) => [
      fn.countAll<number>().as("traces"),
      fn.min("start_time").as("first"),
      fn.max("start_time").as("last"),
    ])
    .where("issue_id", "=", id)
    .executeTakeFirstOrThrow();
  const seen =
    sums.first === null ? {} : { first_seen_at: Number(sums.first), last_seen_at: Number(sums.last) };
  await tx
    .updateTable("issues")
    .set({ trace_count: Number(sums.traces), ...seen, updated_at: now })
    .where("id", "=", id)
    .execute();
}

/** Messages of the traces that went to another issue; more are not told apart one by one. */
const MOST_MESSAGES = 200;

type Split = { issue: IssueRow; to: string; now: number };

/**
 * Makes what a person told apart hold for later traces, too: a message that only traces of the new issue show becomes
 * a kind of its own, which takes this very message and no other.
 */
async function splitKinds(tx: Tx, split: Split): Promise<void> {
  const { issue, to } = split;
  const moved = await tx
    .selectFrom("findings")
    .selectAll()
    .where("issue_id", "=", to)
    .orderBy("start_time")
    .execute();
  const messages = [
    ...Map.groupBy(moved, ({ fingerprint, message }) => `${fingerprint} ${message}`).values(),
  ];
  for (const [finding] of messages.slice(0, MOST_MESSAGES)) {
    if (!finding || (await staysIn(tx, issue, finding))) continue;
    const kind = await tx
      .selectFrom("fingerprints")
      .selectAll()
      .where("session_id", "=", issue.session_id)
      .where("fingerprint", "=", finding.fingerprint)
      .executeTakeFirst();
    if (kind && kind.template !== finding.message) await takeOut(tx, split, kind, finding);
  }
}

async function staysIn(tx: Tx, { id }: IssueRow, { fingerprint, message }: FindingRow): Promise<boolean> {
  const stays = await tx
    .selectFrom("findings")
    .select("trace_id")
    .where("issue_id", "=", id)
    .where("fingerprint", "=", fingerprint)
    .where("message", "=", message)
    .limit(1)
    .executeTakeFirst();
  return stays !== undefined;
}

async function takeOut(tx: Tx, { to, now }: Split, kind: FingerprintRow, finding: FindingRow): Promise<void> {
  const { session_id, message } = finding;
  const digest = new Bun.CryptoHasher("sha256").update(`${kind.fingerprint} ${message}`).digest("hex");
  const fingerprint = `v${kind.version}-${digest.slice(0, 32)}`;
  const { place, version } = kind;
  await tx
    .insertInto("fingerprints")
    .values({
      ...{ session_id, fingerprint, place, version, template: message, exact: 1 },
      ...{ frames: kind.frames, replaces: null, created_at: now },
    })
    .onConflict((there) => there.doNothing())
    .execute();
  const { detector, error_type, node, tool, reason, thrown_at } = finding;
  await tx
    .insertInto("issue_fingerprints")
    .values({
      ...{ session_id, fingerprint, issue_id: to, version, detector, error_type, node, tool },
      ...{ message, reason, thrown_at, created_at: now },
    })
    .onConflict((there) => there.doNothing())
    .execute();
  const ofMessage = tx
    .selectFrom("findings")
    .select("trace_id")
    .where("issue_id", "=", to)
    .where("fingerprint", "=", kind.fingerprint)
    .where("message", "=", message);
  await tx
    .updateTable("issue_traces")
    .set({ fingerprint })
    .where("issue_id", "=", to)
    .where("trace_id", "in", ofMessage)
    .execute();
  await tx
    .updateTable("findings")
    .set({ fingerprint })
    .where("issue_id", "=", to)
    .where("fingerprint", "=", kind.fingerprint)
    .where("message", "=", message)
    .execute();
}
