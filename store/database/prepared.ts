import { type CompiledQuery, type Kysely, PostgresAdapter } from "kysely";
import type { Schema } from "../schema/index.ts";
import type { Tx } from "./writer.ts";

/** Whether a query goes to Postgres: there, others write between two statements of a transaction. */
export const isOnServer = (db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** Where compiled statements go without a query builder between. */
export type StatementTarget = {
  query(sql: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>;
};

/** Which query builders stand on such a connection. */
const direct = new WeakMap<object, StatementTarget>();

/** Lets prepared queries of a query builder go straight to its connection. */
export function answersDirectly(db: Kysely<Schema>, target: StatementTarget): void {
  direct.set(db, target);
}

/** Stands for a parameter while a query is compiled once; see {@link prepared}. */
class Slot {
  constructor(readonly name: string) {}
}

type Params = Record<string, unknown>;

/**
 * Compiles a query once and runs it with new parameters each time: building a Kysely query costs more than
 * SQLite needs to answer it. Only for the hot paths. On Postgres, a write that gives no rows is sent and not waited
 * for: what it fails with is what its transaction fails with.
 *
 * @param build gets an object whose properties are placeholders for the parameters of the same name
 */
export function prepared<P extends Params, Row = unknown>(
  build: (db: Kysely<Schema>, params: P) => { compile(): CompiledQuery<Row> },
): (db: Kysely<Schema> | Tx, params: P) => Promise<Row[]> {
  // By dialect: the same query reads `?` in one and `$1` in another.
  const byDialect = new Map<unknown, CompiledQuery<Row>>();
  return async (db, params) => {
    const dialect = db.getExecutor().adapter.constructor;
    const compiled = byDialect.get(dialect) ?? build(db, slots<P>()).compile();
    byDialect.set(dialect, compiled);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Slot ? params[value.name] : value,
    );
    const connection = direct.get(db);
    if (connection) return connection.query(compiled.sql, parameters) as Row[];
    const result = await db.executeQuery<Row>({ ...compiled, parameters });
    return result.rows;
  };
}

function slots<P extends Params>(): P {
  const named = (): never => {
    throw new Error("a prepared query names each of its parameters: it cannot take the rest of them");
  };
  return new Proxy({} as P, { get: (_, name) => new Slot(String(name)), ownKeys: named });
}

/** Parameters of one part of a statement that does several things: each with the part's name in front. */
export type Of<Part extends string, P extends Params> = {
  [Name in keyof P & string as `${Part}_${Name}`]: P[Name];
};

export function named<Part extends string, P extends Params>(part: Part, params: P): Of<Part, P> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [`${part}_${name}`, value])) as Of<
    Part,
    P
  >;
}

/** The other way round, where the statement is built. */
export const partOf = <P extends Params>(part: string, params: Params): P =>
  new Proxy({} as P, { get: (_, name) => params[`${part}_${String(name)}`] });
