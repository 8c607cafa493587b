import type { Database } from "../database/index.ts";

/** How long it is known which traces an issue has. */
export const ISSUE_LINKS_KEPT_MS = 90 * 86_400_000;
/** How long scans are kept. */
export const ENGINE_RUNS_KEPT_MS = 30 * 86_400_000;
const AT_ONCE = 1_000;
const MOST_TURNS = 20;

type Aged = { findings: "start_time"; issue_traces: "start_time"; engine_runs: "started_at" };

/** See `Issues.sweep`. */
export async function sweepIssues(db: Database, now: number, retentionMs: number): Promise<void> {
  await sweepOlder(db, "findings", "start_time", now - retentionMs);
  await sweepFingerprints(db, now - retentionMs);
  await sweepOlder(db, "issue_traces", "start_time", now - ISSUE_LINKS_KEPT_MS);
  await sweepOlder(db, "engine_runs", "started_at", now - ENGINE_RUNS_KEPT_MS);
}

/** Removes rows in portions up to the moment that the last of a portion has, so that no transaction is long. */
async function sweepOlder<Table extends keyof Aged>(
  db: Database,
  table: Table,
  column: Aged[Table],
  before: number,
): Promise<void> {
  const { ref } = db.read.dynamic;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const rows = await db.read
      .selectFrom(table as "findings")
      .select(ref<"start_time">(column))
      .where(ref(column), "<", before)
      .orderBy(ref(column))
      .limit(AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    const until = Number(Object.values(last)[0]);
    await db.write((tx) =>
      tx
        .deleteFrom(table as "findings")
        .where(ref(column), "<=", until)
        .execute(),
    );
  }
}

/** Removes kinds of failures that no finding and no issue knows any more. */
async function sweepFingerprints(db: Database, before: number): Promise<void> {
  const gone = await db.read
    .selectFrom("fingerprints")
    .select(["session_id", "fingerprint"])
    .where("created_at", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("findings")
            .select("findings.trace_id")
            .whereRef("findings.session_id", "=", "fingerprints.session_id")
            .whereRef("findings.fingerprint", "=", "fingerprints.fingerprint"),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("issue_fingerprints")
            .select("issue_fingerprints.issue_id")
            .whereRef("issue_fingerprints.session_id", "=", "fingerprints.session_id")
            .whereRef("issue_fingerprints.fingerprint", "=", "fingerprints.fingerprint"),
        ),
      ),
    )
    .limit(AT_ONCE * MOST_TURNS)
    .execute();
  for (let at = 0; at < gone.length; at += AT_ONCE)
    await db.write(async (tx) => {
      for (const { session_id, fingerprint } of gone.slice(at, at + AT_ONCE))
        await tx
          .deleteFrom("fingerprints")
          .where("session_id", "=", session_id)
          .where("fingerprint", "=", fingerprint)
          .execute();
    });
}
