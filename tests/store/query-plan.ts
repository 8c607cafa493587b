import { Database as BunDatabase, type SQLQueryBindings } from "bun:sqlite";
import type { Database } from "@berth/store";
import { type CompiledQuery, type KyselyPlugin, sql } from "kysely";

/**
 * How SQLite would run the first compiled query that `work` reads with: the lines of EXPLAIN QUERY PLAN.
 * @param work gets the same database, with its queries written down
 */
export async function firstPlan(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  await work({ ...db, read: recording(db.read, queries) });
  const [query] = queries;
  if (!query) throw new Error("no compiled query was read");
  return explain(db, query);
}

/** The same for each of the queries that `work` reads with, those that are built only then too. */
export async function plans(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[][]> {
  const queries: CompiledQuery[] = [];
  await work({ ...db, read: recording(db.read.withPlugin(builtOnes(db.read, queries)), queries) });
  return Promise.all(queries.map((query) => explain(db, query)));
}

/** The same for those in write transactions too, which are carried out. */
export async function allPlans(db: Database, work: (db: Database) => Promise<unknown>): Promise<string[][]> {
  const queries: CompiledQuery[] = [];
  const recorded = (read: Database["read"]) => recording(read.withPlugin(builtOnes(read, queries)), queries);
  await work({
    ...db,
    read: recorded(db.read),
    write: (unit) => db.write((tx) => unit(recorded(tx))),
  });
  return Promise.all(queries.map((query) => explain(db, query)));
}

/**
 * On a connection of its own: Bun leaves an `explain` that was run to its end unfinished, and until it is finalized its
 * connection reads what was there at that moment.
 */
async function explain(db: Database, query: CompiledQuery): Promise<string[]> {
  // A query that was recorded when it was prepared has places where its parameters will be.
  const values = query.parameters.map((value) => (isPlace(value) ? "" : value)) as SQLQueryBindings[];
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db.read);
  const connection = new BunDatabase(rows[0]?.file, { readonly: true });
  try {
    const statement = connection.prepare<{ detail: string }, SQLQueryBindings[]>(
      `explain query plan ${query.sql}`,
    );
    try {
      return statement.all(...values).map(({ detail }) => detail);
    } finally {
      statement.finalize();
    }
  } finally {
    connection.close();
  }
}

function isPlace(value: unknown): boolean {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array);
}

/** Writes down queries that are built and executed; those that were compiled before pass by it. */
function builtOnes(read: Database["read"], queries: CompiledQuery[]): KyselyPlugin {
  return {
    transformQuery({ node, queryId }) {
      queries.push(read.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
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
