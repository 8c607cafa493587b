import { Database as BunDatabase } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { hasTable } from "../database/index.ts";
import { migrations } from "../migrations/index.ts";

/** How the schema of a database compares with that of this program. */
export type SchemaStatus = {
  applied: { name: string; at: string }[];
  /** What the next start does. */
  pending: string[];
  /** What a newer Berth did: this one refuses the database then. */
  unknown: string[];
};

/** What a look into a database file finds. */
type FileReport = {
  /** What SQLite finds wrong, in its own words; empty for a file that is well. */
  faults: string[];
  /** Rows by table. */
  rows: Record<string, number>;
};

const BUSY_MS = 10_000;
const MOST_FAULTS = 5;

/**
 * Copies a database as it is at one moment, with all that was committed before, while others go on writing to it.
 * What it writes is on the disk when it returns.
 * @param to must not exist
 */
export function copyDatabaseFile(from: string, to: string): void {
  reading(from, (db) => db.run("vacuum into ?", [to]));
  // SQLite leaves that to its caller.
  const file = openSync(to, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Reads all of a database file, and counts what is in it. */
export function inspectDatabaseFile(file: string): FileReport {
  return reading(file, (db) => {
    const faults = faultsOf(db, "integrity_check");
    return { faults, rows: faults.length === 0 ? rowsOf(db) : {} };
  });
}

/** What a quicker look than that finds wrong: everything but indexes that do not agree with their tables. */
export function quickCheck(file: string): string[] {
  return reading(file, (db) => faultsOf(db, "quick_check"));
}

/** Which migrations a database has had, without changing it. */
export function schemaStatus(file: string): SchemaStatus {
  const applied = reading(file, (db) =>
    hasTable(db, "berth_migrations")
      ? db
          .query<{ name: string; timestamp: string }, []>(
            "select name, timestamp from berth_migrations order by name",
          )
          .all()
      : [],
  );
  const known = Object.keys(migrations);
  const names = new Set(applied.map(({ name }) => name));
  return {
    applied: applied.map(({ name, timestamp }) => ({ name, at: timestamp })),
    pending: known.filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !known.includes(name)),
  };
}

/** Hands over a connection that cannot change anything. @throws Error the file is none that SQLite reads */
function reading<T>(file: string, work: (db: BunDatabase) => T): T {
  const db = new BunDatabase(file, { readonly: true });
  try {
    db.run(`pragma busy_timeout = ${BUSY_MS}`);
    return work(db);
  } finally {
    db.close();
  }
}

function faultsOf(db: BunDatabase, check: "integrity_check" | "quick_check"): string[] {
  const rows = db.query<Record<string, string>, []>(`pragma ${check}(${MOST_FAULTS})`).all();
  return rows.flatMap((row) => Object.values(row)).filter((text) => text !== "ok");
}

function rowsOf(db: BunDatabase): Record<string, number> {
  const tables = db
    .query<{ name: string }, []>(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
    )
    .all();
  const count = (name: string) =>
    db.query<{ count: number }, []>(`select count(*) as count from "${name.replaceAll('"', '""')}"`).get();
  return Object.fromEntries(tables.map(({ name }) => [name, count(name)?.count ?? 0]));
}

/** What a database says of its surroundings, for whoever compares the two. */
export type DatabaseFacts = {
  keys: number;
  /** Something that was sealed with the key of the secrets; null while nothing was. */
  sealedCheck: string | null;
  /** The key before the one that somebody rotated to, sealed with that one; null where nobody did. */
  sealedPrevious: string | null;
  holdsSecrets: boolean;
  /** Deployments whose secrets were lost together with their key. */
  lostSecrets: string[];
  deployments: { id: string; source: string }[];
  /** Those that are not gone. */
  instances: { id: string; pid: number | null; pid_started: string | null }[];
  /** Whose build folders are meant to be there. */
  builds: {
    id: string;
    number: number;
    deployment_id: string;
    is_active: boolean;
    /** It served once, and is kept for going back only. */
    is_spare: boolean;
  }[];
  /** The latest moment that it tells of; null while it is empty. */
  newestAt: number | null;
};

/** Reads them without changing the database, whatever its age. */
export function databaseFacts(file: string): DatabaseFacts {
  return reading(file, (db) => ({
    keys: hasTable(db, "api_keys") ? countOf(db, "select count(*) as count from api_keys") : 0,
    ...(hasTable(db, "deployments") ? controlFacts(db) : NO_CONTROL),
    newestAt: newestAt(db),
  }));
}

const NO_CONTROL = {
  ...{ sealedCheck: null, sealedPrevious: null, holdsSecrets: false, lostSecrets: [] },
  ...{ deployments: [], instances: [], builds: [] },
};

function controlFacts(db: BunDatabase) {
  const secrets = ["deployments", "integrations", "subscriptions"].filter((table) => hasTable(db, table));
  const sealed = (id: number) =>
    db.query<{ sealed: string }, [number]>("select sealed from secret_check where id = ?").get(id)?.sealed;
  return {
    sealedCheck: sealed(1) ?? null,
    sealedPrevious: sealed(2) ?? null,
    holdsSecrets: secrets.some((table) => countOf(db, `select count(*) as count from ${table}`) > 0),
    lostSecrets: db
      .query<{ name: string }, []>(
        "select name from deployments where secrets = 'lost' and deleted_at is null order by name",
      )
      .all()
      .map(({ name }) => name),
    deployments: db
      .query<{ id: string; source: string }, []>(
        "select id, source from deployments where deleted_at is null order by created_at",
      )
      .all(),
    instances: db
      .query<DatabaseFacts["instances"][number], []>(
        "select id, pid, pid_started from instances where state <> 'gone'",
      )
      .all(),
    builds: db.query<BuildRow, []>(BUILDS).all().map(toBuild),
  };
}

type BuildRow = Omit<DatabaseFacts["builds"][number], "is_active" | "is_spare"> & {
  is_active: number;
  is_spare: number;
};

/** Of a revision that served once and is neither the active one nor on its way to be it again. */
function isSpare(active: string): string {
  return `(revisions.status = 'DEPLOYED' and coalesce(${active}, '') <> revisions.id)`;
}

const BUILDS = `select revisions.id, revisions.number, revisions.deployment_id,
  coalesce(deployments.active_revision_id = revisions.id, 0) as is_active,
  ${isSpare("deployments.active_revision_id")} as is_spare
  from revisions join deployments on deployments.id = revisions.deployment_id
  where revisions.build is not null and revisions.build_kept = 1 and deployments.deleted_at is null`;

const toBuild = ({ is_active, is_spare, ...build }: BuildRow) => ({
  ...build,
  is_active: is_active === 1,
  is_spare: is_spare === 1,
});

function newestAt(db: BunDatabase): number | null {
  const moments = [
    hasTable(db, "threads") && momentOf(db, "select max(updated_at) as at from threads"),
    hasTable(db, "changes") && momentOf(db, "select at from changes order by seq desc limit 1"),
  ].filter((at) => typeof at === "number");
  return moments.length === 0 ? null : Math.max(...moments);
}

const momentOf = (db: BunDatabase, text: string): number | null =>
  db.query<{ at: number | null }, []>(text).get()?.at ?? null;

const countOf = (db: BunDatabase, text: string): number =>
  db.query<{ count: number }, []>(text).get()?.count ?? 0;
