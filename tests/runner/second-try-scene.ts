// What `main.ts` does with its runners, with those of a test: they come as JSON.
import { WAIT_LIMIT_MS } from "../limits.ts";
import { resultLines } from "./result.ts";
import { runJob } from "./run.ts";
import { bunTest } from "./runners.ts";
import { secondTry } from "./second-try.ts";

export type Scene = { name: string; files: string[]; env?: Record<string, string>; fault?: string };

const scenes: Scene[] = JSON.parse(process.argv[2] ?? "[]");
const outcomes = [];
for (const { name, files, env = {}, fault } of scenes) {
  const runner = bunTest(name, files, {
    workers: 2,
    limitMs: WAIT_LIMIT_MS,
    testLimitMs: WAIT_LIMIT_MS,
    env,
  });
  const { report, faults } = await runJob(runner.job);
  outcomes.push({ runner, ran: { report, faults: fault ? [...faults, fault] : faults }, seconds: 1 });
}
const { lines, failed } = resultLines({ lacking: [], ...(await secondTry(outcomes)) }, 0);
console.log(lines.join("\n"));
process.exit(failed);
