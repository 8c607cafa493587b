import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../database/index.ts";
import { type Deployment, readDeployment, selectDeployments } from "./deployment.ts";

export type DeploymentFilter = {
  /** A part of the name; upper and lower case are the same. */
  nameContains?: string | undefined;
  name?: string | undefined;
  status?: string | undefined;
  /** Whether a listener elsewhere reconciles it. */
  remoteReconciled?: boolean | undefined;
  imageVersion?: string | undefined;
  deploymentType?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Deployments have no tags: any of these finds nothing. */
  tagValueIds?: readonly string[] | undefined;
};

type Page = { limit: number; offset: number };
type Asked = { db: Database; workspaceId: string; filter: DeploymentFilter };

/**
 * A page of the deployments of a workspace, newest first. The one whose name is the very text that was looked
 * for comes before the others: older tools look at the first page only.
 */
export async function listDeployments(asked: Asked, { limit, offset }: Page): Promise<Deployment[]> {
  const { nameContains, ...filter } = asked.filter;
  if (!nameContains) return page({ ...asked, filter }, { limit, offset });
  const [exact] =
    filter.name === undefined || filter.name === nameContains
      ? await page({ ...asked, filter: { ...filter, name: nameContains } }, { limit: 1, offset: 0 })
      : [];
  if (!exact) return page(asked, { limit, offset });
  const others = offset === 0 ? { limit: limit - 1, offset: 0 } : { limit, offset: offset - 1 };
  const rest = await page(asked, others, exact.id);
  return offset === 0 ? [exact, ...rest] : rest;
}

async function page(asked: Asked, { limit, offset }: Page, except?: string): Promise<Deployment[]> {
  if (limit === 0) return [];
  const rows = await selectDeployments(asked.db.read)
    .where("deployments.workspace_id", "=", asked.workspaceId)
    .where("deployments.deleted_at", "is", null)
    .where(({ and }) => and(conditions(asked)))
    .$if(except !== undefined, (query) => query.where("deployments.id", "<>", except ?? ""))
    .orderBy("deployments.created_at", "desc")
    .orderBy("deployments.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(readDeployment);
}

function conditions({ db, filter }: Asked): Expression<SqlBool>[] {
  const eb = expressionBuilder<{ deployments: { [column: string]: string | null } }, "deployments">();
  const ref = (column: string) => eb.ref(`deployments.${column}`) as Expression<string>;
  const is = (column: Expression<string | null>, value: string) => sql<SqlBool>`${column} = ${value}`;
  const all: Expression<SqlBool>[] = [];
  const { nameContains, name, status, remoteReconciled, imageVersion, deploymentType, ids } = filter;
  if (nameContains)
    all.push(db.sql.containsText(sql<string>`lower(${ref("name")})`, nameContains.toLowerCase()));
  if (name !== undefined) all.push(is(ref("name"), name));
  if (status !== undefined) all.push(is(ref("status"), status));
  if (imageVersion !== undefined) all.push(is(ref("image_version"), imageVersion));
  const config = (key: string) => db.sql.jsonText(ref("source_config"), key);
  if (deploymentType !== undefined) all.push(is(config("deployment_type"), deploymentType));
  if (remoteReconciled !== undefined) {
    const listener = config("listener_id");
    all.push(remoteReconciled ? sql<SqlBool>`${listener} is not null` : sql<SqlBool>`${listener} is null`);
  }
  if (ids) all.push(ids.length > 0 ? sql<SqlBool>`${ref("id")} in (${sql.join([...ids])})` : never);
  if (filter.tagValueIds && filter.tagValueIds.length > 0) all.push(never);
  return all;
}

const never = sql<SqlBool>`1 = 0`;
