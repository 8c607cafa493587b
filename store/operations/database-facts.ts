import { type DatabaseLook, looking } from "./database-look.ts";

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
  deployments: {
    id: string;
    source: string;
    /** The cluster that it is for; null where this machine runs it. */
    listener_id: string | null;
  }[];
  /** The clusters that Berth deploys into. */
  clusters: { name: string; health: string | null; checked_at: number | null }[];
  /** What the workspace with most of it has in the registry of images, in bytes. */
  registryBytes: number;
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
export const databaseFacts = (url: string): Promise<DatabaseFacts> => looking(url, factsFrom);

/** The same through a look that is there. */
export async function factsFrom(look: DatabaseLook): Promise<DatabaseFacts> {
  return {
    keys: (await look.hasTable("api_keys")) ? await countOf(look, "api_keys") : 0,
    ...((await look.hasTable("deployments")) ? await controlFacts(look) : NO_CONTROL),
    clusters: await clustersIn(look),
    registryBytes: await registryBytesIn(look),
    newestAt: await newestAt(look),
  };
}

/** Rows by table. */
export async function rowsByTable(look: DatabaseLook): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const name of await look.tableNames()) rows[name] = await countOf(look, name);
  return rows;
}

const NO_CONTROL = {
  ...{ sealedCheck: null, sealedPrevious: null, holdsSecrets: false, lostSecrets: [] },
  ...{ deployments: [], instances: [], builds: [] },
};

const WITH_SECRETS = ["deployments", "integrations", "subscriptions"];

async function controlFacts(look: DatabaseLook) {
  const sealed = await look.rows<{ id: number; sealed: string }>("select id, sealed from secret_check");
  const lost = await look.rows<{ name: string }>(
    "select name from deployments where secrets = 'lost' and deleted_at is null order by name",
  );
  return {
    sealedCheck: sealed.find(({ id }) => id === 1)?.sealed ?? null,
    sealedPrevious: sealed.find(({ id }) => id === 2)?.sealed ?? null,
    holdsSecrets: await hasSecrets(look),
    lostSecrets: lost.map(({ name }) => name),
    deployments: (await look.rows<DeploymentRow>(DEPLOYMENTS)).map(toDeployment),
    instances: await look.rows<DatabaseFacts["instances"][number]>(
      "select id, pid, pid_started from instances where state <> 'gone'",
    ),
    builds: (await look.rows<BuildRow>(BUILDS)).map(toBuild),
  };
}

type DeploymentRow = { id: string; source: string; source_config: string };

const DEPLOYMENTS =
  "select id, source, source_config from deployments where deleted_at is null order by created_at";

function toDeployment({ id, source, source_config }: DeploymentRow) {
  const { listener_id = null }: { listener_id?: string | null } = JSON.parse(source_config);
  return { id, source, listener_id };
}

/** The migration that made a listener a cluster which lets Berth in. */
const WITH_CLUSTERS = "0034-clusters";

async function clustersIn(look: DatabaseLook): Promise<DatabaseFacts["clusters"]> {
  if (!(await look.hasTable("berth_migrations"))) return [];
  const done = await look.rows<{ name: string }>("select name from berth_migrations");
  if (!done.some(({ name }) => name === WITH_CLUSTERS)) return [];
  const rows = await look.rows<{ name: string; health: string | null; checked_at: number | string | null }>(
    "select compute_id as name, health, checked_at from listeners where credentials is not null order by compute_id",
  );
  return rows.map(({ checked_at, ...row }) => ({
    ...row,
    checked_at: checked_at === null ? null : Number(checked_at),
  }));
}

/** A blob counts once in a workspace, as it does for the limit. */
const REGISTRY_BYTES = `select sum(bytes) as bytes from (
  select distinct registry_links.workspace_id, registry_blobs.digest, registry_blobs.bytes
    from registry_links join registry_blobs on registry_blobs.digest = registry_links.digest
  union all select workspace_id, digest, bytes from registry_manifests
  union all select workspace_id, id, bytes from registry_uploads
) as kept group by workspace_id order by 1 desc limit 1`;

async function registryBytesIn(look: DatabaseLook): Promise<number> {
  if (!(await look.hasTable("registry_blobs"))) return 0;
  const [most] = await look.rows<{ bytes: number | string }>(REGISTRY_BYTES);
  return Number(most?.bytes ?? 0);
}

async function hasSecrets(look: DatabaseLook): Promise<boolean> {
  for (const table of WITH_SECRETS)
    if ((await look.hasTable(table)) && (await countOf(look, table)) > 0) return true;
  return false;
}

type BuildRow = Omit<DatabaseFacts["builds"][number], "is_active" | "is_spare"> & {
  is_active: number;
  is_spare: number;
};

/** One is spare whose revision served once and is neither the active one nor on its way to be it again. */
const BUILDS = `select revisions.id, revisions.number, revisions.deployment_id,
  case when deployments.active_revision_id = revisions.id then 1 else 0 end as is_active,
  case when revisions.status = 'DEPLOYED' and coalesce(deployments.active_revision_id, '') <> revisions.id
    then 1 else 0 end as is_spare
  from revisions join deployments on deployments.id = revisions.deployment_id
  where revisions.build is not null and revisions.build_kept = 1 and deployments.deleted_at is null`;

const toBuild = ({ is_active, is_spare, ...build }: BuildRow) => ({
  ...build,
  is_active: is_active === 1,
  is_spare: is_spare === 1,
});

async function newestAt(look: DatabaseLook): Promise<number | null> {
  const moments = [
    (await look.hasTable("threads")) && (await momentOf(look, "select max(updated_at) as at from threads")),
    (await look.hasTable("changes")) &&
      (await momentOf(look, "select at from changes order by seq desc limit 1")),
  ].filter((at) => typeof at === "number");
  return moments.length === 0 ? null : Math.max(...moments);
}

async function momentOf(look: DatabaseLook, text: string): Promise<number | null> {
  const [row] = await look.rows<{ at: number | null }>(text);
  return row?.at ?? null;
}

/** @param table a name that the database itself or this program tells */
async function countOf(look: DatabaseLook, table: string): Promise<number> {
  const text = `select count(*) as count from "${table.replaceAll('"', '""')}"`;
  const [row] = await look.rows<{ count: number }>(text);
  return Number(row?.count ?? 0);
}
