import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { migrations } from "./list.ts";

export { migrations };

/** The database was written by a newer Berth than this one. */
export class NewerSchema extends Error {
  override name = "NewerSchema";
}

/** Is there while a database is filled from another one, and not whole. */
export const COPY_TABLE = "berth_copy";

/** The database is one that a copy or a restore has not filled to its end. */
export class HalfCopied extends Error {
  override name = "HalfCopied";
}

/**
 * Brings a database to this program's schema.
 * @throws NewerSchema when it holds a migration that this program does not know; nothing is changed then
 * @throws HalfCopied
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: "berth_migrations",
    migrationLockTableName: "berth_migrations_lock",
  });
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const names = new Set(tables.map(({ name }) => name));
  if (names.has(COPY_TABLE))
    throw new HalfCopied(
      "the database is not whole: a copy or a restore into it was cut short; do it again, to its end",
    );
  const unknown = names.has("berth_migrations") ? await unknownMigrations(db) : [];
  if (unknown.length > 0) {
    throw new NewerSchema(
      `the database is newer than this Berth (it holds ${unknown.join(", ")}): start it with the Berth that wrote it, or a later one`,
    );
  }
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

async function unknownMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from berth_migrations`.execute(db);
  return rows.map((row) => row.name).filter((name) => !(name in migrations));
}
