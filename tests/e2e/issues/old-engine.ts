import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The scan that Berth 0.1.0 was in the middle of: of three kinds of failures in twelve traces one is an issue. */
export const OLD_SCAN = {
  id: "01a214e6-8178-7541-912b-c01f3a608a8e",
  thread_id: "01a214e6-8178-7540-a42d-35730697475c",
  run_id: "01a214e6-817c-7524-bb17-5c743edfe5ef",
};

/**
 * Puts into a folder what Berth 0.1.0 left when it was killed in the middle of a scan, as if that were just now.
 * @param run sql that changes the scan's run in the engine's own file
 */
export function leaveOldEngine(folder: string, run?: string): void {
  const now = Date.now();
  write(folder, "berth", `update engine_runs set started_at = ${now}, lease_until = ${now + 60_000}`);
  write(folder, "berth-engine", run ?? `update runs set lease_until = ${now - 1}`);
}

function write(folder: string, name: string, more: string): void {
  const db = new Database(join(folder, `${name}.db`), { create: true });
  db.run(readFileSync(join(import.meta.dir, "engine-file", `${name}.sql`), "utf8"));
  db.run(more);
  db.close();
}
