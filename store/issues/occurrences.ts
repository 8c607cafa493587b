import { type Expression, sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { IssueRow } from "../schema/index.ts";

/** How many traces of an issue began in the hour or day that begins then. */
export type Occurrence = { at: number; traces: number };

/** How many of the runs on one revision of a deployment show an issue. */
export type RevisionOccurrence = {
  /** Null: runs that say nothing of a revision, such as those of the project that Berth itself serves. */
  revision_id: string | null;
  revision_number: number | null;
  /** When the first of its runs began, as far as they are counted. */
  at: number;
  traces: number;
  runs: number;
};

const HOUR = 3_600_000;
const SPANS = { hour: { unit: HOUR, count: 48 }, day: { unit: 24 * HOUR, count: 30 } };
/** Of a project's runs, the newest so many are counted by revision. */
const MOST_RUNS = 10_000;

/** The last 48 hours, or the last 30 days (UTC), each with what was seen in it. */
export async function readOccurrences(
  db: Database,
  issueId: string,
  by: "hour" | "day",
  now: number,
): Promise<Occurrence[]> {
  const all = await readTrends(db, [issueId], by, now);
  return all.get(issueId) ?? [];
}

/** The same of several issues at once. */
export async function readTrends(
  db: Database,
  issueIds: readonly string[],
  by: "hour" | "day",
  now: number,
): Promise<Map<string, Occurrence[]>> {
  const { unit, count } = SPANS[by];
  const first = now - (now % unit) - (count - 1) * unit;
  const bucket = sql<number>`start_time - start_time % ${sql.lit(unit)}`;
  const rows =
    issueIds.length === 0
      ? []
      : await db.read
          .selectFrom("issue_traces")
          .select((eb) => ["issue_id", bucket.as("at"), eb.fn.countAll<number>().as("traces")])
          .where("issue_id", "in", issueIds)
          .where("start_time", ">=", first)
          .groupBy(["issue_id", bucket])
          .execute();
  const seen = new Map(rows.map(({ issue_id, at, traces }) => [`${issue_id} ${at}`, Number(traces)]));
  const bucketsOf = (id: string) =>
    Array.from({ length: count }, (_, i) => {
      const at = first + i * unit;
      return { at, traces: seen.get(`${id} ${at}`) ?? 0 };
    });
  return new Map(issueIds.map((id) => [id, bucketsOf(id)]));
}

/** For each revision that the newest 10,000 runs of the project were on, oldest first. */
export async function readByRevision(
  db: Database,
  { id, session_id }: IssueRow,
): Promise<RevisionOccurrence[]> {
  const runs = db.read
    .selectFrom("traces")
    .select(({ ref }) => ["id", "start_time", revisionOf(db.sql.jsonText(ref("metadata"), "revision_id"))])
    .where("session_id", "=", session_id)
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(MOST_RUNS);
  const counts = await db.read
    .selectFrom(runs.as("runs"))
    .leftJoin("issue_traces", (join) =>
      join.onRef("issue_traces.trace_id", "=", "runs.id").on("issue_traces.issue_id", "=", id),
    )
    .select(({ fn }) => [
      "runs.revision",
      fn.min("runs.start_time").as("at"),
      fn.count<number>("issue_traces.trace_id").as("traces"),
      fn.countAll<number>().as("runs"),
    ])
    .groupBy("runs.revision")
    .orderBy("at")
    .execute();
  const numbers = await numbersOf(
    db,
    counts.flatMap(({ revision }) => revision ?? []),
  );
  return counts.map(({ revision, at, traces, runs: total }) => ({
    revision_id: revision,
    revision_number: revision === null ? null : (numbers.get(revision) ?? null),
    at: Number(at),
    traces: Number(traces),
    runs: Number(total),
  }));
}

const revisionOf = (text: Expression<string | null>) => sql<string | null>`${text}`.as("revision");

async function numbersOf(db: Database, revisionIds: readonly string[]): Promise<Map<string, number>> {
  if (revisionIds.length === 0) return new Map();
  const rows = await db.read
    .selectFrom("revisions")
    .select(["id", "number"])
    .where("id", "in", revisionIds)
    .execute();
  return new Map(rows.map((row) => [row.id, row.number]));
}
