import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull, Unavailable } from "@berth/store";

/** More than what a disk that is full to the brim still takes. */
const TRIAL = new Uint8Array(65_536);

/**
 * Tries whether something can be written where the database is: reading goes on for long on a full disk.
 * @throws Unavailable it is not; where there is no room, the error says so
 */
export async function checkRoom(folder: string): Promise<void> {
  const path = join(folder, `.room-${process.pid}`);
  try {
    await writeFile(path, TRIAL, { mode: 0o600 });
  } catch (error) {
    if (isDiskFull(error)) throw error;
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new Unavailable(`The server cannot write where its database is (${code})`, { cause: error });
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
