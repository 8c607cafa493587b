// A worker: takes one target and one job as JSON, does the job in this process, and prints its figures as JSON.
// It is a process of its own so that neither the table nor the other targets disturb what it measures.
import { processTree } from "../processes.ts";
import { httpCalls } from "./http-calls.ts";
import type { Job, Target } from "./job.ts";
import { work } from "./jobs.ts";

const { target, job }: { target: Target; job: Job } = JSON.parse(process.argv[2] ?? "");

const bench =
  "url" in target
    ? { calls: httpCalls(target.url), cpu: () => processTree(target.pid)?.cpuMs, ...target }
    : {
        // Loaded only here: a load client must not carry LangGraph.
        calls: (await import("./bare-calls.ts")).bareCalls(),
        cpu: () => processTree(process.pid)?.cpuMs,
        url: undefined,
        pid: process.pid,
      };

try {
  console.log(JSON.stringify(await work(bench, job)));
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
