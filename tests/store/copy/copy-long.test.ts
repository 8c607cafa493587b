import { expect } from "bun:test";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CopyNews, copyDatabase } from "@berth/store";
import { dropDatabase, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { notLong, testUnless } from "../../skips.ts";
import { temporaryFolder } from "../every-store.ts";
import { manyThreads } from "./many-threads.ts";

const THREADS = 100_000;
const LIMIT_MS = 3_600_000;

testUnless(withoutPostgres() ?? notLong)(
  `${THREADS} threads with all that belongs to them go to a server and back, the same by count and checksum`,
  async () => {
    const folder = temporaryFolder();
    const server = await newDatabase();
    const source = join(folder, "source.db");
    await manyThreads(source, THREADS);
    const seconds: Record<string, number> = {};
    const timed = async (name: string, from: string, to: string) => {
      const begun = performance.now();
      const parts = { copied: 0, compared: 0 };
      const say = (news: CopyNews) => {
        if (news.kind === "compared" || (news.kind === "copied" && news.isWhole)) parts[news.kind] += news.ms;
      };
      const digests = await copyDatabase({ from: { url: from, name: "a" }, to: { url: to, name: "b" }, say });
      seconds[name] = Math.round(performance.now() - begun) / 1_000;
      for (const [part, ms] of Object.entries(parts)) seconds[`${name}, ${part}`] = Math.round(ms) / 1_000;
      return digests;
    };
    const there = await timed("to the server", `sqlite:${source}`, server);
    const back = await timed("back", server, `sqlite:${join(folder, "back.db")}`);
    expect(back).toEqual(there);
    expect([there.get("threads")?.rows, there.get("checkpoints")?.rows]).toEqual([THREADS, 2 * THREADS]);
    const rows = [...there.values()].reduce((sum, one) => sum + one.rows, 0);
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
    process.stdout.write(
      `${JSON.stringify({ threads: THREADS, rows, megabytes: Math.round(statSync(source).size / 2 ** 20), memory, seconds })}\n`,
    );
    rmSync(folder, { recursive: true });
    await dropDatabase(server);
  },
  LIMIT_MS,
);
