import { sql } from "kysely";
import type { Database, Tx } from "../database/index.ts";
import type { FindingRow, FingerprintRow } from "../schema/index.ts";
import type { Finding, FindingKind, IssueRules } from "./finding.ts";

/** A kind of failure that was seen before. */
export type KnownKind = Pick<FingerprintRow, "fingerprint" | "place" | "template"> & {
  exact: boolean;
  frames: string[];
  /** No issue is recognised by it yet. */
  waits: boolean;
  /** How many findings it has; 2 stands for more. */
  seen: number;
};

/** A fingerprint of a project, and the transaction in which its kind is kept. */
type Keeping = { tx: Tx; sessionId: string; fingerprint: string; now: number };

/** What is known before findings are told apart. */
export type Known = {
  kinds: KnownKind[];
  /** What an earlier look at the same traces found in them. */
  findings: Pick<FindingRow, "trace_id" | "fingerprint" | "detector" | "node" | "tool" | "message">[];
};

/** Of one place, the newest; one with more is named after its cases. */
const MOST_KINDS = 2_000;
/** Issues of an older version that a new kind may be the same as. */
const MOST_REPLACED = 500;
const LONGEST_TEMPLATE = 2_000;

const SEEN = sql<number>`(select count(*) from (select 1 from findings
  where findings.session_id = fingerprints.session_id and findings.fingerprint = fingerprints.fingerprint limit 2) as known)`;

/** See `Issues.known`. */
export async function readKnown(
  db: Database["read"],
  sessionId: string,
  places: readonly string[],
  traceIds: readonly string[],
): Promise<Known> {
  const kinds: KnownKind[] = [];
  for (const place of places) kinds.push(...(await kindsOf(db, sessionId, place)));
  if (traceIds.length === 0) return { kinds, findings: [] };
  const findings = await db
    .selectFrom("findings")
    .select(["trace_id", "fingerprint", "detector", "node", "tool", "message"])
    .where("trace_id", "in", traceIds)
    .where("session_id", "=", sessionId)
    .execute();
  return { kinds, findings };
}

/** The newest kinds of one place, the oldest of them first. */
async function kindsOf(db: Database["read"], sessionId: string, place: string): Promise<KnownKind[]> {
  const rows = await db
    .selectFrom("fingerprints")
    .select((eb) => [
      ...(["fingerprint", "place", "template", "frames", "exact"] as const),
      eb
        .not(
          eb.exists(
            eb
              .selectFrom("issue_fingerprints")
              .select("issue_id")
              .where("session_id", "=", sessionId)
              .whereRef("issue_fingerprints.fingerprint", "=", "fingerprints.fingerprint"),
          ),
        )
        .as("waits"),
      SEEN.as("seen"),
    ])
    .where("session_id", "=", sessionId)
    .where("place", "=", place)
    .orderBy("created_at", "desc")
    .limit(MOST_KINDS)
    .execute();
  return rows.reverse().map((row) => ({
    ...row,
    frames: JSON.parse(row.frames),
    exact: row.exact === 1,
    waits: Boolean(row.waits),
    seen: Number(row.seen),
  }));
}

/** What the messages of a kind have in common. */
export async function templateOf(
  db: Database["read"],
  sessionId: string,
  fingerprint: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("fingerprints")
    .select("template")
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  return row?.template;
}

/**
 * Keeps the kind that a finding is of, as the finding knows it. A kind that is new takes over the issue of an older
 * version's fingerprint where it is the same; only the first one does.
 * @returns findings of kinds without an issue that turned out to be this one
 */
export async function keepKind(keeping: Keeping, finding: Finding, rules: IssueRules): Promise<FindingRow[]> {
  if (!finding.kind) return [];
  await keepTemplate(keeping, finding, finding.kind, rules);
  const taken: FindingRow[] = [];
  for (const other of finding.kind.took ?? []) taken.push(...(await takeIn(keeping, other)));
  return taken;
}

/** Gives the findings of a kind that waits to another one; an issue that was made of it meanwhile stays. */
async function takeIn({ tx, sessionId, fingerprint }: Keeping, other: string): Promise<FindingRow[]> {
  const issue = await tx
    .selectFrom("issue_fingerprints")
    .select("issue_id")
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", other)
    .executeTakeFirst();
  if (issue) return [];
  const here = tx
    .selectFrom("findings")
    .select("trace_id")
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint);
  const taken = await tx
    .updateTable("findings")
    .set({ fingerprint })
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", other)
    .where("trace_id", "not in", here)
    .returningAll()
    .execute();
  // What is left is of traces that show both.
  for (const table of ["findings", "fingerprints"] as const)
    await tx.deleteFrom(table).where("session_id", "=", sessionId).where("fingerprint", "=", other).execute();
  return taken;
}

async function keepTemplate(
  keeping: Keeping,
  finding: Finding,
  kind: FindingKind,
  rules: IssueRules,
): Promise<void> {
  const { tx, sessionId, fingerprint } = keeping;
  const template = kind.template.slice(0, LONGEST_TEMPLATE);
  const frames = JSON.stringify(kind.frames);
  const before = await tx
    .selectFrom("fingerprints")
    .select(["template", "frames"])
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .executeTakeFirst();
  if (before === undefined) return insertKind(keeping, finding, { template, frames }, rules);
  if (before.template === template && before.frames === frames) return;
  await tx
    .updateTable("fingerprints")
    .set({ template, frames })
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .execute();
  await tx
    .updateTable("issue_fingerprints")
    .set({ message: template, thrown_at: kind.frames[0] || null })
    .where("session_id", "=", sessionId)
    .where("fingerprint", "=", fingerprint)
    .execute();
}

async function insertKind(
  { tx, sessionId, fingerprint, now }: Keeping,
  finding: Finding,
  { template, frames }: Pick<FingerprintRow, "template" | "frames">,
  rules: IssueRules,
): Promise<void> {
  const replaced = await replacedBy(tx, sessionId, finding, rules);
  await tx
    .insertInto("fingerprints")
    .values({
      ...{ session_id: sessionId, fingerprint, place: finding.kind?.place ?? "", version: finding.version },
      ...{ template, frames, exact: 0 },
      ...{ replaces: replaced?.fingerprint ?? null, created_at: now },
    })
    .execute();
  if (!replaced) return;
  const { detector, error_type, node, tool, version, reason, thrown_at = null } = finding;
  await tx
    .insertInto("issue_fingerprints")
    .values({
      ...{ session_id: sessionId, fingerprint, issue_id: replaced.issue_id, version, detector, error_type },
      ...{ node, tool, message: template, reason, thrown_at, created_at: now },
    })
    .onConflict((there) => there.doNothing())
    .execute();
}

/** The fingerprint of an older version that a finding is the same as. */
async function replacedBy(tx: Tx, sessionId: string, finding: Finding, rules: IssueRules) {
  if (!rules.replaces) return undefined;
  const taken = tx
    .selectFrom("fingerprints")
    .select("replaces")
    .where("session_id", "=", sessionId)
    .where("replaces", "is not", null)
    .$castTo<{ replaces: string }>();
  const older = await tx
    .selectFrom("issue_fingerprints")
    .selectAll()
    .where("session_id", "=", sessionId)
    .where("version", "<", finding.version)
    .where("detector", "=", finding.detector)
    .where("fingerprint", "not in", taken)
    .orderBy("created_at")
    .limit(MOST_REPLACED)
    .execute();
  return older.find((one) => rules.replaces?.(one, finding));
}
