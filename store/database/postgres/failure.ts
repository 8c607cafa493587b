/** What Postgres, or the way to it, says of a statement that failed. */
export type Failure =
  /** The transaction is rolled back, and may do the same again: somebody else was first. */
  | "again"
  /** A newer Berth has changed a table: the driver prepares the statement anew the next time. */
  | "stale"
  /** Nobody answers, or the connection broke: whether the statement was done is not known. */
  | "gone"
  /** It is the statement's own fault. */
  | "own";

/** SQLSTATE by which Postgres asks to try a whole transaction again: serialization failure, deadlock. */
const AGAIN = new Set(["40001", "40P01"]);
/** Shut down by an administrator, by a crash, starting up or stopping; too many clients; idle in a transaction for too long; connection exceptions. */
const GONE = /^(57P0[1-5]|08...|53300|25P03)$/;
/** Codes of the driver itself. */
const DRIVER_GONE = /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT)/;

/** Sorts an error of the driver. Bun.SQL has the SQLSTATE in `errno`, `pg` and PGlite in `code`. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return "own";
  const state = sqlState(error);
  if (state && AGAIN.has(state)) return "again";
  if (state === "0A000" && error.message.includes("cached plan")) return "stale";
  if (state && GONE.test(state)) return "gone";
  const code = "code" in error ? String(error.code) : "";
  return DRIVER_GONE.test(code) ? "gone" : "own";
}

/** The five characters by which Postgres names an error. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const key of ["errno", "code"] as const) {
    const value: unknown = Reflect.get(error, key);
    if (typeof value === "string" && /^[0-9A-Z]{5}$/.test(value)) return value;
  }
  return undefined;
}
