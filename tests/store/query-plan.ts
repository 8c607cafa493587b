import type { Database } from "@berth/store";
import { CompiledQuery } from "kysely";

/**
 * How SQLite would run the first compiled query that `work` reads with: the lines of EXPLAIN QUERY PLAN.
 * @param work gets the same database, with its queries written down
 */
export async function firstPlan(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  await work({ ...db, read: recording(db.read, queries) });
  const [query] = queries;
  if (!query) throw new Error("no compiled query was read");
  const explain = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]);
  const { rows } = await db.read.executeQuery<{ detail: string }>(explain);
  return rows.map((row) => row.detail);
}

function recording(read: Database["read"], queries: CompiledQuery[]): Database["read"] {
  return new Proxy(read, {
    get(target, name) {
      if (name === "executeQuery") {
        return (query: CompiledQuery) => {
          queries.push(query);
          return target.executeQuery(query);
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
