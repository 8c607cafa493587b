import type { Database as BunDatabase } from "bun:sqlite";
import { hasTable } from "../database/index.ts";
import { reading } from "./database-file.ts";

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
