import { cpus, loadavg, totalmem } from "node:os";
import { type Options, readOptions, USAGE } from "./options.ts";
import { judge, summary, table } from "./report.ts";
import { type Outcome, runBench } from "./run.ts";

/** A load below this is what starts the bench. */
const QUIET = 0.6;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(USAGE);
  else await bench(options);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

async function bench(options: Options): Promise<void> {
  const startedAt = new Date();
  const machine = describeMachine();
  const isQuiet = load() < QUIET;
  if (!isQuiet)
    console.error(
      `bench: this machine has other work (load ${load().toFixed(2)}): its figures are no record`,
    );
  const outcome = await runBench(options);
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  console.log(table(outcome.rows));
  for (const failure of outcome.failures) console.log(`failed: ${failure}`);
  console.log(`\n${machine}`);
  for (const [name, info] of Object.entries(outcome.versions))
    console.log(`${name}: ${JSON.stringify(info)}`);
  console.log(`${summary(outcome.rows)}, ${outcome.failures.length} measures failed, ${seconds} s`);
  await Bun.write(
    options.json,
    `${JSON.stringify(record(outcome, { startedAt, machine, isQuiet, options }), null, 2)}\n`,
  );
}

type Circumstances = { startedAt: Date; machine: string; isQuiet: boolean; options: Options };

function record(outcome: Outcome, { startedAt, machine, isQuiet, options }: Circumstances) {
  const { rows, failures, versions } = outcome;
  return {
    at: startedAt.toISOString(),
    machine,
    /** Whether the machine had nothing else to do when it began. */
    quiet: isQuiet,
    quick: options.quick,
    only: options.only,
    versions,
    failures,
    lines: rows.map((row) => ({
      ...row.line,
      ...row.values,
      ...judge(row),
      ...(row.spread && { spread: row.spread }),
    })),
  };
}

function describeMachine(): string {
  const cores = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Bun ${Bun.version}, ${cores.length} × ${cores[0]?.model}, ${memory} GiB, load ${load().toFixed(2)} before the bench`;
}

/** Of the last minute. */
function load(): number {
  return loadavg()[0] ?? 0;
}
