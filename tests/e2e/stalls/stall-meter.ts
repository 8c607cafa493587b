import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Asked } from "./prober.ts";

/** Asks `/ok` all the time while work is under way, and tells how long the longest answer took. */
export class StallMeter {
  readonly #worker = new Worker(join(import.meta.dir, "prober.ts"));

  async open(url: string): Promise<void> {
    await this.#say({ url });
  }

  /** The longest that anybody would have waited (ms) while `work` was under way. */
  async during(work: () => Promise<void>): Promise<number> {
    await this.#say("begin");
    await work();
    return this.#say("worst");
  }

  close(): void {
    void this.#worker.terminate();
  }

  #say(what: Asked): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#worker.once("message", resolve);
    this.#worker.postMessage(what);
    return promise;
  }
}

const READ = JSON.stringify(
  Array.from({ length: 40_000 }, (_, at) => ({ id: `name ${at}`, at, list: [at] })),
);
const WRITTEN = "x".repeat(31 * 1_048_576);
/** The same on the machine that the limit was set on, when it was quiet. */
const QUIET_READING = 14;

// Not the best: a step takes long, and others get their turns in the middle of it.
function usual(work: () => unknown): number {
  const took = Array.from({ length: 5 }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return took.sort((a, b) => a - b)[2] ?? 0;
}

/** How many times slower than a quiet machine this one is now. */
export const slownessOfMachine = (): number =>
  Math.max(1, usual(() => JSON.stringify(JSON.parse(READ))) / QUIET_READING);

/** What the disk of this machine takes for the largest text (ms). */
export function writingOfMachine(): number {
  const folder = mkdtempSync(join(tmpdir(), "berth-pace-"));
  const database = new Database(join(folder, "pace.db"));
  try {
    database.run("pragma journal_mode = wal");
    database.run("create table texts (text text)");
    return usual(() => database.query("insert into texts values (?)").run(WRITTEN));
  } finally {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
