import { type ReservedSQL, SQL } from "bun";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
} from "kysely";
import { BadRequest } from "../../errors.ts";
import { Compiler } from "./compiler.ts";
import { sqlState } from "./failure.ts";

type Row = Record<string, unknown>;

const CONNECT_SECONDS = 5;

/** How connections are named in the server's list of them, how many there may be, and what is set for each. */
export type ConnectOptions = { application: string; max: number; parameters?: Record<string, string> };

/** Connections to a server, each made when it is needed. */
export const connect = (url: string, { application, max, parameters }: ConnectOptions): SQL =>
  new SQL(url, {
    ...{ max, bigint: true, connectionTimeout: CONNECT_SECONDS },
    connection: { application_name: application, ...parameters },
  });

/** Where statements are sent: to a pool, or to one connection of it. */
type Statements = Pick<SQL, "unsafe">;

/** Sends a statement; numbers come back as numbers, whatever their width. */
export async function query(
  sql: Statements,
  text: string,
  parameters: readonly unknown[],
): Promise<{ rows: Row[]; count: number }> {
  const result = await sql.unsafe(text, parameters as unknown[]).catch((error) => {
    throw callersFault(error) ?? error;
  });
  const rows: Row[] = Array.from(result);
  for (const row of rows)
    for (const key in row) {
      const value = row[key];
      // Counts and times are far below 2^53.
      if (typeof value === "bigint") row[key] = Number(value);
    }
  return { rows, count: result.count };
}

/** SQLSTATE of a text that Postgres keeps in no column, and of one that it makes no JSON of: both hold U+0000. */
const NO_TEXT = new Set(["22021", "22P05"]);

function callersFault(error: unknown): BadRequest | undefined {
  if (!NO_TEXT.has(sqlState(error) ?? "")) return undefined;
  return new BadRequest("A text must not hold the character U+0000 here", { cause: error });
}

/** One connection as Kysely sees it; whoever holds it says which connection of the pool it is at the moment. */
export class HeldConnection implements DatabaseConnection {
  current: Statements | undefined;

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.current) throw new Error("no transaction is under way on this connection");
    return asResult(await query(this.current, compiled.sql, compiled.parameters));
  }

  async *streamQuery<R>(compiled: CompiledQuery): AsyncGenerator<QueryResult<R>> {
    yield await this.executeQuery<R>(compiled);
  }
}

function asResult<R>({ rows, count }: { rows: Row[]; count: number }): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(count ?? 0) };
}

/** Does work, perhaps more than once. */
export type Retry = <T>(work: () => Promise<T>) => Promise<T>;

/** Statements go to any connection of the pool; a transaction takes one for itself. */
class PoolConnection extends HeldConnection {
  #reserved: ReservedSQL | undefined;

  constructor(
    private readonly pool: SQL,
    private readonly retry: Retry,
  ) {
    super();
    this.current = pool;
  }

  override executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const send = () => super.executeQuery<R>(compiled);
    return this.#reserved ? send() : this.retry(send);
  }

  async begin(): Promise<void> {
    this.#reserved = await this.pool.reserve();
    this.current = this.#reserved;
    await this.#reserved.unsafe("begin");
  }

  async end(statement: "commit" | "rollback"): Promise<void> {
    const reserved = this.#reserved;
    this.#reserved = undefined;
    this.current = this.pool;
    try {
      await reserved?.unsafe(statement);
    } finally {
      await reserved?.release();
    }
  }
}

class PoolDriver implements Driver {
  constructor(
    private readonly pool: SQL,
    private readonly retry: Retry,
  ) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(this.pool, this.retry);
  }

  async beginTransaction(connection: PoolConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    await connection.end("commit");
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.end("rollback");
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.pool.close();
  }
}

/** For statements that are sent to one connection; it takes no transactions of Kysely's. */
class HeldDriver implements Driver {
  constructor(private readonly connection: HeldConnection) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error("a write is one transaction already");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

const withDriver = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new Compiler(),
});

/**
 * Kysely over a pool of Bun's own driver.
 * @param retry sends a statement that is in no transaction, again where it may
 */
export const poolDialect = (pool: SQL, retry: Retry): Dialect =>
  withDriver(() => new PoolDriver(pool, retry));

/** Kysely over whichever connection is held at the moment. */
export const heldDialect = (connection: HeldConnection): Dialect =>
  withDriver(() => new HeldDriver(connection));
