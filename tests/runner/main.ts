// `bun run test [TEXT…] [--long]`: every runner one after the other; the last line is the count over all.
import { ensureChromium } from "./chromium.ts";
import { runJob } from "./run.ts";
import { planRunners } from "./runners.ts";
import { line, nothing, sum, type Tally } from "./tally.ts";

process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  const long = args.includes("--long");
  if (long) process.env.BERTH_LONG = "1";
  const runners = planRunners(
    args.filter((arg) => !arg.startsWith("--")),
    long,
  );
  const tallies: Tally[] = [];
  const summary: string[] = [];
  for (const { name, job } of runners) {
    const startedAt = performance.now();
    console.log(`\n── ${name}: ${job.files.length} files`);
    const tally =
      name === "browser" ? await inBrowser(() => runJob(job), job.files.length) : await runJob(job);
    tallies.push(tally);
    summary.push(`${name}: ${line(tally)} (${Math.round((performance.now() - startedAt) / 1000)} s)`);
  }
  const whole = runners.length > 0 ? sum(tallies) : { ...nothing(), failures: ["no test file was found"] };
  if (whole.failures.length > 0) console.log(["\nFailed:", ...whole.failures].join("\n  "));
  console.log(`\n${summary.join("\n")}`);
  console.log(line(whole));
  return whole.failures.length > 0 ? 1 : 0;
}

/** Without a browser its tests count as skipped on a person's machine, and as failed where nobody looks. */
async function inBrowser(run: () => Promise<Tally>, files: number): Promise<Tally> {
  const { path, problem } = await ensureChromium();
  if (path !== undefined) {
    process.env.CHROMIUM_PATH = path;
    return await run();
  }
  console.log(problem);
  return process.env.CI
    ? { ...nothing(), failures: [`browser: ${problem}`] }
    : { ...nothing(), skipped: files };
}
