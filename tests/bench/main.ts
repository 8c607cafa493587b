import { loadavg } from "node:os";
import { compareWith } from "./against.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { makePage } from "./page.ts";
import { makeProfiles } from "./profile/index.ts";
import { keep, recordOf } from "./record.ts";
import { summary, table } from "./report.ts";
import { LINE_IDS, type Outcome, runBench } from "./run.ts";

/** A load below this is what starts the bench. */
const QUIET = 0.6;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") console.log(USAGE);
  else if (options.profile) await makeProfiles(options);
  else if (options.against !== undefined) await compareWith(options.against, options);
  else await bench(options);
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

async function bench(options: Options): Promise<void> {
  const startedAt = new Date();
  const [load = 0] = loadavg();
  const isQuiet = load < QUIET;
  if (!isQuiet)
    console.error(`bench: this machine has other work (load ${load.toFixed(2)}): its figures are no record`);
  const written = async (outcome: Outcome) => {
    const record = await recordOf(outcome, { startedAt, isQuiet, isQuick: options.quick });
    await Bun.write(options.json, `${JSON.stringify(record, null, 2)}\n`);
    return record;
  };
  const outcome = await runBench(options, undefined, written);
  const record = await written(outcome);
  console.log(table(outcome.rows));
  for (const failure of outcome.failures) console.log(`failed: ${failure}`);
  const { cores, model, memoryGiB, bun } = record.machine;
  console.log(
    `\nBun ${bun}, ${cores} × ${model}, ${memoryGiB} GiB, load ${load.toFixed(2)} before the bench`,
  );
  for (const [name, info] of Object.entries(outcome.versions))
    console.log(`${name}: ${JSON.stringify(info)}`);
  console.log(`${summary(outcome.rows)}, ${outcome.failures.length} measures failed, ${record.seconds} s`);
  if (!options.keep) return;
  console.log(`kept as docs/benchmarks/${await keep(record, LINE_IDS)}`);
  await makePage();
}
