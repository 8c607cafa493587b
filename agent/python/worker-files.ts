import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The modules of the worker by their names. Called as a macro, so that a compiled binary carries them. */
export function readWorkerFiles(): Record<string, string> {
  const folder = join(import.meta.dir, "berth_worker");
  const files = readdirSync(folder).filter((name) => name.endsWith(".py"));
  return Object.fromEntries(
    files.sort().map((name) => [name.slice(0, -3), readFileSync(join(folder, name), "utf8")]),
  );
}

/** What is run first: it takes the modules from the first frame, so that nothing lies on the disk. */
export function readBootstrap(): string {
  return readFileSync(join(import.meta.dir, "bootstrap.py"), "utf8");
}
