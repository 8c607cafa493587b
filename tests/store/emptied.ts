import type { PGlite } from "@electric-sql/pglite";

export type Row = Record<string, unknown>;

/** The statements that empty all tables but for the rows that the migrations wrote. */
export async function toEmpty(schema: string, query: (statement: string) => Promise<Row[]>): Promise<string> {
  const tables = await query(
    `select tablename as name from pg_tables where schemaname = '${schema}' and tablename not like 'berth_migrations%'`,
  );
  const rowsOf = async (name: string) => {
    const rows = await query(`select row_to_json(t)::text as row from ${name} t`);
    return rows.map(
      ({ row }) =>
        `insert into ${name} select * from json_populate_record(null::${name}, '${String(row).replaceAll("'", "''")}')`,
    );
  };
  // Others refer to the workspaces: they are emptied last and filled first.
  const names = tables.map(({ name }) => String(name));
  const ordered = names.sort((a, b) => Number(a === "workspaces") - Number(b === "workspaces"));
  const seeds = await Promise.all(ordered.map(rowsOf));
  return [...ordered.map((name) => `delete from ${name}`), ...seeds.reverse().flat()].join(";\n");
}

/** Kysely closes the instance that it is given; this one outlives the test. */
export function keptOpen(pglite: PGlite) {
  return {
    closed: false,
    ready: true,
    waitReady: Promise.resolve(),
    close: async () => {},
    query: pglite.query.bind(pglite),
    transaction: pglite.transaction.bind(pglite),
  };
}
