import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";

export type Counter = "logs" | "changes" | "integrations" | "uid";

type Take = { name: Counter; count: number };

const advance = prepared<Take, { last: number }>((db, { name, count }) =>
  db
    .updateTable("control_counters")
    .set({ last: sql<number>`last + ${count}` })
    .where("name", "=", name)
    .returning("last"),
);

/**
 * Takes the next `count` numbers; nobody else gets them.
 * @returns the first of them
 */
export async function takeNumbers(tx: Tx, name: Counter, count = 1): Promise<number> {
  const [row] = await advance(tx, { name, count });
  if (!row) throw new Error(`there is no counter ${name}`);
  return Number(row.last) - count + 1;
}
