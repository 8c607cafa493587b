import { type Kysely, sql } from "kysely";
import { type Database, isOnServer, openFileAlone, type Tx } from "../database/index.ts";
import type { Schema } from "../schema/index.ts";
import { deleteThread } from "../threads/index.ts";
import { forgetFindings, forgetTraces, noteForgotten } from "../traces/index.ts";
import { listWorkspaces } from "../workspaces/index.ts";
import { itemsNaming, threadsOfUser } from "./export.ts";
import { tracesOfUser } from "./user-traces.ts";

/** How many rows of each kind were erased. */
export type Erased = {
  threads: number;
  traces: number;
  findings: number;
  deliveries: number;
  crons: number;
  items: number;
  /** Issues whose title or description a person wrote: they may quote what was erased. */
  issuesToRead: string[];
};

const NOTHING: Erased = {
  ...{ threads: 0, traces: 0, findings: 0, deliveries: 0, crons: 0, items: 0 },
  issuesToRead: [],
};

/** Rows that one transaction erases. */
const AT_ONCE = 50;

/**
 * Erases everything that is stored of a thread, its traces, and what was derived from them. Reads whole tables: the
 * ids in them have no index.
 */
export async function eraseThread(db: Database, threadId: string, now: number): Promise<Erased> {
  const erased = { ...NOTHING, issuesToRead: [] as string[] };
  const isThere = await db.write(async (tx) => {
    for (const { id } of await listWorkspaces(db))
      await noteForgotten(tx, { thread_id: threadId, at: now }, { workspaceId: id });
    return deleteThread(tx, threadId);
  });
  erased.threads = Number(isThere);
  const derived = await derivedFrom(db, "thread_id", [threadId]);
  return sumOf(erased, await eraseDerived(db, derived, [threadId], now));
}

/** Erases traces and what was derived from them. */
async function eraseTraces(db: Database, traceIds: readonly string[], now: number): Promise<Erased> {
  let all = NOTHING;
  for (let at = 0; at < traceIds.length; at += AT_ONCE) {
    const ids = traceIds.slice(at, at + AT_ONCE);
    all = sumOf(all, await eraseDerived(db, await derivedFrom(db, "trace_id", ids), ids, now));
  }
  return all;
}

/** @param named ids that webhooks name */
async function eraseDerived(
  db: Database,
  { traceIds, issueIds, findings }: Awaited<ReturnType<typeof derivedFrom>>,
  named: readonly string[],
  now: number,
): Promise<Erased> {
  const erased = { ...NOTHING, findings, issuesToRead: [] as string[] };
  for (let at = 0; at < traceIds.length; at += AT_ONCE) {
    const ids = traceIds.slice(at, at + AT_ONCE);
    await db.write(async (tx) => {
      erased.issuesToRead.push(...(await forgetFindings(tx, ids, now)));
      erased.traces += await forgetTraces(tx, ids);
      await tx.deleteFrom("issue_traces").where("trace_id", "in", ids).execute();
    });
  }
  await db.write((tx) => recount(tx, issueIds));
  erased.deliveries = await eraseDeliveries(db, [...named, ...issueIds]);
  erased.issuesToRead = [...new Set(erased.issuesToRead)];
  return erased;
}

/** Erases the threads of a user, the traces of the user's runs, and the crons and store items that are the user's. */
export async function eraseUser(db: Database, user: string, now: number): Promise<Erased> {
  let all = NOTHING;
  for (const threadId of await threadsOfUser(db, user))
    all = sumOf(all, await eraseThread(db, threadId, now));
  const { threadIds, traces } = await tracesOfUser(db, user);
  for (const threadId of threadIds) all = sumOf(all, await eraseThread(db, threadId, now));
  const traceIds = traces.map(({ id }) => id);
  all = sumOf(all, await eraseTraces(db, traceIds, now));
  const namespaces = await itemsNaming(db, user);
  return db.write(async (tx) => {
    const crons = await tx.deleteFrom("crons").where("user_id", "=", user).executeTakeFirst();
    let items = 0;
    for (const namespace of namespaces) {
      await tx.deleteFrom("item_vectors").where("namespace", "=", namespace).execute();
      const gone = await tx.deleteFrom("items").where("namespace", "=", namespace).executeTakeFirst();
      items += Number(gone.numDeletedRows);
    }
    return { ...all, crons: Number(crons.numDeletedRows), items };
  });
}

const sumOf = (one: Erased, other: Erased): Erased => ({
  threads: one.threads + other.threads,
  traces: one.traces + other.traces,
  findings: one.findings + other.findings,
  deliveries: one.deliveries + other.deliveries,
  crons: one.crons + other.crons,
  items: one.items + other.items,
  issuesToRead: [...new Set([...one.issuesToRead, ...other.issuesToRead])],
});

/** Traces with these ids or of these threads, also those that only findings and issues still know. */
async function derivedFrom({ read }: Database, by: "thread_id" | "trace_id", of: readonly string[]) {
  const ofTraces = by === "thread_id" ? by : "id";
  const traces = await read.selectFrom("traces").select("id").where(ofTraces, "in", of).execute();
  const findings = await read.selectFrom("findings").select("trace_id").where(by, "in", of).execute();
  const links = await read
    .selectFrom("issue_traces")
    .select(["trace_id", "issue_id"])
    .where(by, "in", of)
    .execute();
  const ids = [...traces.map(({ id }) => id), ...[...findings, ...links].map(({ trace_id }) => trace_id)];
  const issueIds = [...new Set(links.map(({ issue_id }) => issue_id))];
  return { traceIds: [...new Set(ids)], issueIds, findings: findings.length };
}

async function recount(tx: Tx, issueIds: readonly string[]): Promise<void> {
  for (const id of issueIds)
    await tx
      .updateTable("issues")
      .set(({ selectFrom }) => ({
        trace_count: selectFrom("issue_traces")
          .select(({ fn }) => fn.countAll<number>().as("traces"))
          .where("issue_id", "=", id),
      }))
      .where("id", "=", id)
      .execute();
}

/** Deliveries whose bodies have one of these ids: webhooks hold texts of issues, and values of runs. */
async function eraseDeliveries(db: Database, ids: readonly string[]): Promise<number> {
  let erased = 0;
  for (const id of ids) {
    const found = await db.read
      .selectFrom("deliveries")
      .select("id")
      .where("body", "like", `%${id.replaceAll(/[%_\\]/g, "_")}%`)
      .execute();
    for (let at = 0; at < found.length; at += AT_ONCE) {
      const part = found.slice(at, at + AT_ONCE).map((row) => row.id);
      await db.write(async (tx) => {
        await tx.deleteFrom("delivery_attempts").where("delivery_id", "in", part).execute();
        await tx.deleteFrom("deliveries").where("id", "in", part).execute();
      });
      erased += part.length;
    }
  }
  return erased;
}

/** @throws FileInUse a process has the database file open */
export const requireFileAlone = (path: string): void => openFileAlone(path).close();

/** Rewrites the tables of a Postgres server, so that no deleted row is left in their files. */
export async function rewriteTables({ read }: Database): Promise<void> {
  if (!isOnServer(read)) return;
  for (const table of await tablesOf(read)) await sql`vacuum (full) ${sql.table(table)}`.execute(read);
}

async function tablesOf(read: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tableowner = current_user
  `.execute(read);
  return rows.map(({ name }) => name);
}
