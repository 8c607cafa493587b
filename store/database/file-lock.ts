import { isBusy } from "./sqlite.ts";
import { DatabaseAway } from "./writer.ts";

/** Message of a write that another program's lock on the database file prevented. */
const LOCKED = "Another program holds a lock on the database file, so that nothing can be written";
/**
 * Maximum time (ms) that a request waits for the lock of another program. It is below the default lease of runs, so
 * that a client learns the reason before runs are given up.
 */
const LOCK_TIMEOUT_MS = 5_000;
/** Delays (ms) between attempts; the last one repeats. They follow SQLite's own busy handler. */
const DELAYS_MS = [1, 2, 5, 10, 20, 50];

/** How `beginWrite` waits for the lock of another program. */
type LockWait = {
  /** Starts the transaction, and throws SQLITE_BUSY at once while another program holds the lock. */
  begin(): void;
  /** Maximum time (ms) to wait; default: that of a request. */
  patienceMs?: number | undefined;
  /** Called at each attempt after the timeout of requests, because requests may queue behind a more patient write. */
  onTimeout(refusal: DatabaseAway): void;
};

/**
 * Starts a write transaction. It waits for the lock of another program in the event loop, because SQLite's own busy
 * handler would block every read of this process.
 * @throws DatabaseAway when the lock is still held after the timeout
 */
export async function beginWrite({
  begin,
  patienceMs = LOCK_TIMEOUT_MS,
  onTimeout,
}: LockWait): Promise<void> {
  const start = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return begin();
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      const waitedMs = performance.now() - start;
      const refusal = new DatabaseAway(LOCKED, { cause });
      if (waitedMs >= LOCK_TIMEOUT_MS) onTimeout(refusal);
      if (waitedMs >= patienceMs) throw refusal;
    }
    await Bun.sleep(DELAYS_MS[attempt] ?? DELAYS_MS.at(-1) ?? 0);
  }
}
