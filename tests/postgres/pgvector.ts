import { execute, serverUrl, withoutPostgres } from "./server.ts";

/** Why the tests of pgvector do not run here; undefined where they do. */
export async function withoutPgvector(): Promise<string | undefined> {
  const reason = withoutPostgres();
  if (reason) return reason;
  const rows = await execute(
    await serverUrl(),
    "select 1 from pg_available_extensions where name = 'vector'",
  );
  return rows.length > 0 ? undefined : "the Postgres server has no pgvector";
}
