import { migrations } from "../migrations/index.ts";
import { type DatabaseLook, looking } from "./database-look.ts";

/** How the schema of a database compares with that of this program. */
export type SchemaStatus = {
  applied: { name: string; at: string }[];
  /** What the next start does. */
  pending: string[];
  /** What a newer Berth did: this one refuses the database then. */
  unknown: string[];
};

/** Which migrations a database has had, without changing it. */
export const schemaStatus = (url: string): Promise<SchemaStatus> => looking(url, statusFrom);

async function statusFrom(look: DatabaseLook): Promise<SchemaStatus> {
  const applied = (await look.hasTable("berth_migrations"))
    ? await look.rows<{ name: string; timestamp: string }>(
        "select name, timestamp from berth_migrations order by name",
      )
    : [];
  const known = Object.keys(migrations);
  const names = new Set(applied.map(({ name }) => name));
  return {
    applied: applied.map(({ name, timestamp }) => ({ name, at: timestamp })),
    pending: known.filter((name) => !names.has(name)),
    unknown: [...names].filter((name) => !known.includes(name)),
  };
}
