import { sql } from "kysely";
import type { Database } from "../database/index.ts";

/** How much (bytes) a database on a server takes there. */
export async function databaseBytes(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
    db.read,
  );
  return Number(rows[0]?.bytes ?? 0);
}
