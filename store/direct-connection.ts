/** A connection that answers in the same breath; SQLite has one, a database behind a socket has not. */
export type DirectConnection = {
  query(sql: string, parameters: readonly unknown[]): unknown[];
  run(sql: string): void;
  inTransaction(): boolean;
};
