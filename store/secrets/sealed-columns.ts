import { sql } from "kysely";
import type { Tx } from "../database/index.ts";

/** Every column that holds what a `SecretBox` sealed, for the owner with the id of its row. */
export const SEALED_COLUMNS = {
  deployments: ["secrets", "push_secret"],
  revisions: ["secrets"],
  instances: ["token"],
  integrations: ["token"],
  subscriptions: ["headers", "secret"],
  deliveries: ["headers"],
} as const;

/** Sealed texts of a row by their column. */
export type SealedTexts = Readonly<Record<string, string | null>>;

const ROWS_AT_ONCE = 500;

/**
 * Puts other texts in the place of the sealed ones of a table, row by row.
 * @param change gives the columns that are to be different
 */
export async function rewriteSealed(
  tx: Tx,
  table: keyof typeof SEALED_COLUMNS,
  change: (id: string, sealed: SealedTexts) => SealedTexts,
): Promise<void> {
  const columns = sql.join(SEALED_COLUMNS[table].map((name) => sql.ref(name)));
  for (let last = ""; ; ) {
    const { rows } = await sql<{ id: string } & Record<string, string | null>>`
      select id, ${columns} from ${sql.table(table)} where id > ${last} order by id limit ${ROWS_AT_ONCE}
    `.execute(tx);
    for (const { id, ...sealed } of rows) {
      last = id;
      const changed = Object.entries(change(id, sealed));
      if (changed.length === 0) continue;
      const set = sql.join(changed.map(([name, text]) => sql`${sql.ref(name)} = ${text}`));
      await sql`update ${sql.table(table)} set ${set} where id = ${id}`.execute(tx);
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}
