import type { Database } from "bun:sqlite";

type Column = { name: string; type: string };
type MadeRow = { sql: string; values: (string | number | Uint8Array)[] };

/** The tables of Berth in a file; what is derived has a name with `berth_` in front. */
export function tablesOf(db: Database): string[] {
  const text =
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'berth_%' order by name";
  return db
    .query<{ name: string }, []>(text)
    .all()
    .map(({ name }) => name);
}

/** A row of values that fit their columns, and say where they belong. */
export function madeRow(db: Database, table: string): MadeRow {
  const columns = db.query<Column, []>(`pragma table_info(${table})`).all();
  const value = ({ name, type }: Column) => {
    if (name === "workspace_id") return "00000000-0000-4000-8000-000000000001";
    if (/int/i.test(type)) return 1;
    if (type === "double precision") return 0.1;
    return type === "bytea" ? new Uint8Array([0, 255]) : `{"of":"${table}.${name}"}`;
  };
  const marks = columns.map(() => "?").join(", ");
  return { sql: `insert into ${table} values (${marks})`, values: columns.map(value) };
}
