// A worker: takes one target as JSON, and then jobs, a line of JSON each; answers each with a line of figures. It is
// a process of its own so that neither the table nor the other targets disturb what it measures.
import { processTree } from "../processes.ts";
import type { Bench } from "./bench.ts";
import { httpCalls } from "./http-calls.ts";
import type { Job, Target } from "./job.ts";
import { work } from "./jobs.ts";

/** At least as many as a job opens. */
const CONNECTIONS = 64;

const target: Target = JSON.parse(process.argv[2] ?? "");

/** Anew for each measure: what one has prepared or kept is nothing to the next. */
const benchOf: () => Bench =
  "url" in target
    ? () => ({
        ...target,
        ...{ calls: httpCalls(target.url), cpu: () => processTree(target.pid)?.cpuMs, prepared: new Set() },
      })
    : await bareBench();

let bench = benchOf();
try {
  for await (const line of console) {
    const { job, isSame }: { job: Job; isSame: boolean } = JSON.parse(line);
    if (!isSame) bench = benchOf();
    if (bench.url !== undefined) await reconnect(bench.url);
    console.log(JSON.stringify(await work(bench, job)));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** While others were measured, the server may have closed what had been open: that is found out before it counts. */
async function reconnect(url: string): Promise<void> {
  const ask = async () => (await fetch(`${url}/ok`)).arrayBuffer();
  for (let time = 0; time < 2; time += 1) await Promise.allSettled(Array.from({ length: CONNECTIONS }, ask));
}

async function bareBench(): Promise<() => Bench> {
  // Loaded only here: a load client must not carry LangGraph.
  const { bareCalls } = await import("./bare-calls.ts");
  const pid = process.pid;
  return () => ({
    ...{ calls: bareCalls(), cpu: () => processTree(pid)?.cpuMs, pid, prepared: new Set() },
    ...{ url: undefined, data: undefined },
  });
}
