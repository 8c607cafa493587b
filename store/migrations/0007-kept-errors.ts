import { type Kysely, sql } from "kysely";

/** How a run failed, beyond its log; and of items, what their put wanted indexed and whether that was done. */
const statements = [
  `alter table runs add column error text`,
  `alter table items add column index_wish text`,
  `alter table items add column indexed_as text not null default ''`,
  // Where there are vectors, items without any were meant to have none.
  `update items set indexed_as = coalesce((select model from item_vectors order by seq desc limit 1), '')`,
  `create index items_indexed on items (indexed_as, namespace, key)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
