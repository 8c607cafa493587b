import { join } from "node:path";
import type { TargetName } from "./line.ts";
import type { Options } from "./options.ts";
import { ENVIRONMENT } from "./servers.ts";
import type { Figures, Job, Target } from "./worker/job.ts";

const WORKER = join(import.meta.dir, "worker/main.ts");
const WORKER_LIMIT_MS = 300_000;

/** Runs one job in a worker process. */
export async function labour(target: Target, job: Job): Promise<Figures> {
  const command = [process.execPath, WORKER, JSON.stringify({ target, job })];
  const worker = Bun.spawn(command, {
    env: ENVIRONMENT,
    stdout: "pipe",
    stderr: "pipe",
    timeout: WORKER_LIMIT_MS,
  });
  const [output, errors] = await Promise.all([
    new Response(worker.stdout).text(),
    new Response(worker.stderr).text(),
    worker.exited,
  ]);
  if (worker.exitCode === 0) return JSON.parse(output);
  throw new Error(errors.trim().slice(-1000) || `no answer in ${WORKER_LIMIT_MS} ms`);
}

/** Those of the targets that somebody asked for. */
export const chosen = ({ berth, peer }: Options, names: readonly TargetName[]): TargetName[] =>
  names.filter((name) => (name !== "berth" || berth) && (name !== "peer" || peer));
