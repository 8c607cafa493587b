const CODES = new Set<unknown>(["ENOSPC", "EDQUOT", "SQLITE_FULL"]);

/** What is said to whoever is served by a machine without room. */
export const NO_ROOM = "There is no room on the server's disk";

/** Whether something failed for want of room: on the disk, in a user's share of it, in the database's file. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && CODES.has(error.code);
