import { type Expression, sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { FindingRow } from "../schema/index.ts";
import { templateOf } from "./kinds.ts";

/** Failures of one fingerprint that no issue has yet: there are too few of them. */
export type WaitingFailure = Pick<
  FindingRow,
  | "fingerprint"
  | "session_id"
  | "detector"
  | "error_type"
  | "node"
  | "tool"
  | "message"
  | "reason"
  | "trace_id"
  | "run_id"
> & { traces: number; first_seen_at: number; last_seen_at: number };

export type WaitingSearch = {
  sessionId?: string | undefined;
  /** Part of the message, the reason, the error's type, the node or the tool; upper and lower case are the same. */
  q?: string | undefined;
  limit: number;
  offset: number;
};

/** A page of them, how many there are, and how many of the failed runs are in no issue. */
export type WaitingFailures = {
  rows: WaitingFailure[];
  total: number;
  failedRuns: number;
  failedRunsWithoutIssue: number;
};

/** The newest so many findings, and failed runs, are looked at. */
const MOST_FINDINGS = 10_000;
const MOST_RUNS = 5_000;
const MOST_SESSIONS = 1_000;
const FAILED = ["error", "timeout"] as const;

/** What was seen and is in no issue yet, last seen first. */
export async function readWaiting(
  db: Database,
  workspaceId: string,
  { sessionId, q, limit, offset }: WaitingSearch,
): Promise<WaitingFailures> {
  const sessions = await sessionsOf(db, workspaceId, sessionId);
  if (sessions.length === 0) return { rows: [], total: 0, failedRuns: 0, failedRunsWithoutIssue: 0 };
  const groups = (await groupsOf(db, sessions, q).execute()).sort(
    (a, b) => Number(b.last_seen_at) - Number(a.last_seen_at) || (a.fingerprint < b.fingerprint ? -1 : 1),
  );
  const page = groups.slice(offset, offset + limit);
  const rows = await Promise.all(page.map((group) => newestOf(db, group)));
  return { rows: rows.flat(), total: groups.length, ...(await failedRuns(db, workspaceId, sessionId)) };
}

async function sessionsOf(db: Database, workspaceId: string, sessionId: string | undefined) {
  const rows = await db.read
    .selectFrom("sessions")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .$if(sessionId !== undefined, (query) => query.where("id", "=", sessionId ?? ""))
    .orderBy("created_at", "desc")
    .limit(MOST_SESSIONS)
    .execute();
  return rows.map(({ id }) => id);
}

type Group = Pick<WaitingFailure, "fingerprint" | "session_id" | "traces" | "first_seen_at" | "last_seen_at">;

function groupsOf(db: Database, sessions: readonly string[], q: string | undefined) {
  const newest = db.read
    .selectFrom("findings")
    .select(["session_id", "fingerprint", "start_time"])
    .where("session_id", "in", sessions)
    .where("issue_id", "is", null)
    .$if(q !== undefined, (query) =>
      query.where(({ ref, or }) => {
        const texts = sql<string>`${ref("message")} || ' ' || ${ref("reason")} || ' ' || ${ref("error_type")} || ' ' || coalesce(${ref("node")}, '') || ' ' || coalesce(${ref("tool")}, '')`;
        const { containsText } = db.sql;
        // The database knows small letters of ASCII only: others are found as they are written.
        const part = q ?? "";
        return or([
          containsText(texts, part),
          containsText(sql<string>`lower(${texts})`, part.toLowerCase()),
        ]);
      }),
    )
    .orderBy("start_time", "desc")
    .limit(MOST_FINDINGS);
  return db.read
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [
      "newest.session_id",
      "newest.fingerprint",
      fn.countAll<number>().as("traces"),
      fn.min("newest.start_time").as("first_seen_at"),
      fn.max("newest.start_time").as("last_seen_at"),
    ])
    .groupBy(["newest.session_id", "newest.fingerprint"]);
}

/** A group in the words of its newest. */
async function newestOf(db: Database, group: Group): Promise<WaitingFailure[]> {
  const row = await db.read
    .selectFrom("findings")
    .selectAll()
    .where("session_id", "=", group.session_id)
    .where("fingerprint", "=", group.fingerprint)
    .where("issue_id", "is", null)
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!row) return [];
  const { fingerprint, session_id, detector, error_type, node, tool, reason, trace_id, run_id } = row;
  const message = (await templateOf(db.read, session_id, fingerprint)) ?? row.message;
  return [
    {
      ...{ fingerprint, session_id, detector, error_type, node, tool, message, reason, trace_id, run_id },
      traces: Number(group.traces),
      first_seen_at: Number(group.first_seen_at),
      last_seen_at: Number(group.last_seen_at),
    },
  ];
}

/** Of the newest runs that failed: how many there are, and how many of them no issue has. */
async function failedRuns(db: Database, workspaceId: string, sessionId: string | undefined) {
  const counts = await Promise.all(FAILED.map((status) => countRuns(db, workspaceId, sessionId, status)));
  const sum = (of: "all" | "none") => counts.reduce((total, count) => total + Number(count[of]), 0);
  return { failedRuns: sum("all"), failedRunsWithoutIssue: sum("none") };
}

function countRuns(
  db: Database,
  workspaceId: string,
  sessionId: string | undefined,
  status: (typeof FAILED)[number],
) {
  const newest = db.read
    .selectFrom("traces")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
    .where("status", "=", status)
    // The index by status leaves out what went well, and is used only where the query says that it may.
    .where("status", "<>", sql.lit("success" as const))
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(MOST_RUNS);
  return db.read
    .selectFrom(newest.as("newest"))
    .select(({ fn, exists, selectFrom, not }) => [
      fn.countAll<number>().as("all"),
      counted(
        not(
          exists(
            selectFrom("issue_traces").select("trace_id").whereRef("issue_traces.trace_id", "=", "newest.id"),
          ),
        ),
      ).as("none"),
    ])
    .executeTakeFirstOrThrow();
}

const counted = (condition: Expression<unknown>) =>
  sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
