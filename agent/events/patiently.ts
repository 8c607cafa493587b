import { Unavailable } from "@berth/store";

const PAUSE_MS = 250;

/**
 * Reads for somebody who has begun to follow and has nothing better to do than to wait: also while the database is away.
 * @param gone ends the wait
 */
export async function patiently<T>(read: () => Promise<T>, gone?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Unavailable) || gone?.aborted) throw error;
      await Bun.sleep(PAUSE_MS);
    }
  }
}
