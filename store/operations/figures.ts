import { type SqlBool, sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { EngineRunRow } from "../schema/index.ts";

/** Who holds work of one kind, and for how long if it says nothing more. */
export type HeldWork = {
  kind: "runs" | "reconciler" | "engine" | "deliveries";
  /** The process, as far as the kind tells it. */
  holder: string;
  host: string | null;
  pid: number | null;
  count: number;
  until: number | null;
};

/** What a database says of the work that is done with it. */
export type SystemFigures = {
  pending: number;
  held: HeldWork[];
  deliveries: { queued: number; due: number; leased: number; dead: number };
  subscriptions: { active: number; failing: number };
  deployments: { total: number; by_status: Record<string, number>; instances: number };
  /** What deployments take, as they were last measured; null while none was. */
  deploymentsBytes: number | null;
  engine: { running: number; unscanned: number; lastScan: EngineRunRow | null };
  migrations: { applied: number; latest: string | null };
};

/** More of something than this is told as this many: nobody waits for a count. */
const MOST_COUNTED = 100_000;

/** Reads the figures of a whole database, of all its workspaces; each by an index. */
export async function systemFigures(db: Database, now: number): Promise<SystemFigures> {
  const [pending, held, deliveries, subscriptions] = await Promise.all([
    pendingRuns(db),
    heldWork(db),
    deliveryFigures(db, now),
    subscriptionFigures(db),
  ]);
  const [deployments, deploymentsBytes, engine, migrations] = await Promise.all([
    deploymentFigures(db),
    memoryOfDeployments(db),
    engineFigures(db),
    appliedMigrations(db),
  ]);
  return { pending, held, deliveries, subscriptions, deployments, deploymentsBytes, engine, migrations };
}

async function pendingRuns({ read }: Database): Promise<number> {
  const row = await read
    .selectFrom("runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("status", "=", sql.lit("pending"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

async function heldWork(db: Database): Promise<HeldWork[]> {
  return [...(await heldRuns(db)), ...(await reconciler(db)), ...(await scans(db)), ...(await sending(db))];
}

async function heldRuns({ read }: Database): Promise<HeldWork[]> {
  const rows = await read
    .selectFrom("runs")
    .select(({ fn }) => ["lease_owner", fn.countAll<number>().as("count"), fn.max("lease_until").as("until")])
    .where("status", "=", sql.lit("running"))
    .groupBy("lease_owner")
    .execute();
  return rows.map(({ lease_owner, count, until }) => held("runs", lease_owner ?? "", Number(count), until));
}

async function reconciler({ read }: Database): Promise<HeldWork[]> {
  const rows = await read.selectFrom("control_lease").selectAll().execute();
  return rows
    .filter(({ holder }) => holder !== "")
    .map(({ holder, host, pid, until }) => ({
      ...held("reconciler", holder, 1, until),
      ...{ host, pid: Number(pid) },
    }));
}

async function scans({ read }: Database): Promise<HeldWork[]> {
  const rows = await read
    .selectFrom("engine_runs")
    .select(["id", "lease_until"])
    .where("status", "=", sql.lit("running"))
    .execute();
  return rows.map(({ id, lease_until }) => held("engine", id, 1, lease_until));
}

async function sending({ read }: Database): Promise<HeldWork[]> {
  const rows = await read
    .selectFrom("deliveries")
    .select(({ fn }) => ["owner", fn.countAll<number>().as("count"), fn.max("lease_until").as("until")])
    .where("state", "=", sql.lit("leased"))
    .groupBy("owner")
    .execute();
  return rows.map(({ owner, count, until }) => held("deliveries", owner ?? "", Number(count), until));
}

const held = (kind: HeldWork["kind"], holder: string, count: number, until: number | null): HeldWork => ({
  ...{ kind, holder, count, host: null, pid: null },
  until: until === null ? null : Number(until),
});

async function deliveryFigures({ read }: Database, now: number): Promise<SystemFigures["deliveries"]> {
  const count = (state: "queued" | "leased") =>
    read
      .selectFrom("deliveries")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("state", "=", sql.lit(state));
  const queued = await count("queued").executeTakeFirstOrThrow();
  const due = await count("queued").where("due_at", "<=", now).executeTakeFirstOrThrow();
  const leased = await count("leased").executeTakeFirstOrThrow();
  // By workspace, as the index has them.
  const dead = await read
    .selectFrom("workspaces")
    .innerJoin("deliveries", "deliveries.workspace_id", "workspaces.id")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("deliveries.state", "=", "dead")
    .executeTakeFirstOrThrow();
  return {
    queued: Number(queued.count),
    due: Number(due.count),
    leased: Number(leased.count),
    dead: Number(dead.count),
  };
}

async function subscriptionFigures({ read }: Database): Promise<SystemFigures["subscriptions"]> {
  const rows = await read
    .selectFrom("subscriptions")
    .select((eb) => ["state", eb.fn.countAll<number>().as("count")])
    .groupBy("state")
    .execute();
  const of = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  return { active: of("active"), failing: of("failing") };
}

async function deploymentFigures({ read }: Database): Promise<SystemFigures["deployments"]> {
  const rows = await read
    .selectFrom("deployments")
    .select((eb) => ["status", eb.fn.countAll<number>().as("count")])
    .where("deleted_at", "is", null)
    .groupBy("status")
    .execute();
  const live = await read
    .selectFrom("instances")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(sql<SqlBool>`state <> 'gone'`)
    .where("asleep_since", "is", null)
    .executeTakeFirstOrThrow();
  const by_status = Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  const total = Object.values(by_status).reduce((sum, count) => sum + count, 0);
  return { total, by_status, instances: Number(live.count) };
}

async function memoryOfDeployments({ read }: Database): Promise<number | null> {
  const rows = await read
    .selectFrom("instances")
    .select(({ selectFrom }) =>
      selectFrom("figures")
        .select("memory_bytes")
        .whereRef("figures.deployment_id", "=", "instances.deployment_id")
        .orderBy("minute", "desc")
        .limit(1)
        .as("bytes"),
    )
    .where(sql<SqlBool>`state = 'serving'`)
    .where("asleep_since", "is", null)
    .execute();
  const known = rows.flatMap(({ bytes }) => (bytes === null ? [] : [Number(bytes)]));
  return known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0);
}

async function engineFigures({ read }: Database): Promise<SystemFigures["engine"]> {
  const running = await read
    .selectFrom("engine_runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("status", "=", sql.lit("running"))
    .executeTakeFirstOrThrow();
  const unscanned = await read
    .selectFrom((eb) =>
      eb
        .selectFrom("traces")
        .select("session_id")
        .where("unscanned", "=", sql.lit(1))
        .limit(MOST_COUNTED)
        .as("some"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const last = await read
    .selectFrom("engine_runs")
    .selectAll()
    .orderBy("started_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return { running: Number(running.count), unscanned: Number(unscanned.count), lastScan: last ?? null };
}

async function appliedMigrations({ read }: Database): Promise<SystemFigures["migrations"]> {
  const { rows } = await sql<{ name: string }>`select name from berth_migrations order by name`.execute(read);
  return { applied: rows.length, latest: rows.at(-1)?.name ?? null };
}
