import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { SqlDialect, Tx } from "../database/index.ts";
import type { Schema } from "../schema/index.ts";
import type { Repository } from "./image-names.ts";

/** Nothing more is made of a revision in one of these. */
const OVER = [
  "DEPLOYED",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "SKIPPED",
  "INTERRUPTED",
] as const;

/**
 * Whether a revision needs the manifest of this digest: it is being made, it can be gone back to, or the next one may
 * change something else only.
 */
export function neededBy(dialect: SqlDialect, deploymentId: Expression<string>, digest: Expression<string>) {
  return expressionBuilder<Schema, "revisions" | "deployments">()
    .selectFrom("revisions")
    .innerJoin("deployments", "deployments.id", "revisions.deployment_id")
    .select("revisions.id")
    .where("revisions.deployment_id", "=", deploymentId)
    .where(({ or, eb, ref }) =>
      or([
        eb("revisions.build_kept", "=", 1),
        eb("revisions.status", "not in", OVER),
        eb("deployments.latest_revision_id", "=", ref("revisions.id")),
      ]),
    )
    .where(({ or, eb, ref }) =>
      or([
        eb(dialect.jsonText(ref("revisions.config"), "image_digest"), "=", digest),
        sql<SqlBool>`coalesce(${dialect.jsonText(ref("revisions.config"), "image_uri")}, '') like '%@' || ${digest}`,
      ]),
    );
}

export async function isNeeded(
  tx: Tx,
  dialect: SqlDialect,
  { deploymentId }: Pick<Repository, "deploymentId">,
  digest: string,
): Promise<boolean> {
  const text = (value: string) => sql<string>`cast(${value} as text)`;
  const query = tx.selectNoFrom(({ exists }) =>
    exists(neededBy(dialect, text(deploymentId), text(digest))).as("is_needed"),
  );
  return Boolean((await query.executeTakeFirstOrThrow()).is_needed);
}
