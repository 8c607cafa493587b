import { processTree } from "../processes.ts";
import { BENCH_KEY } from "../servers.ts";
import { api } from "./deployed.ts";
import { median } from "./drive.ts";
import type { Figures, JobOf } from "./job.ts";

type Served = { url: string; pid: number };

const REST_MS = 3_000;
/** They fall asleep before, as the bench has them. */
const SLEEP_LIMIT_MS = 60_000;
const WOKEN = 3;

/** What deployments take that nobody calls, and what a caller would wait if they ran only when called. */
export async function idleDeployments(
  { url, pid }: Served,
  job: JobOf<"idle-deployments">,
): Promise<Figures> {
  const control = api(url);
  const begun = performance.now();
  const names = Array.from({ length: job.deployments }, (_, n) => `idle-${n}`);
  const made = await Promise.all(names.map((name) => control.fromTemplate(name)));
  const settled = await Promise.all(made.map((one) => control.settled(one.id, one.latest_revision_id)));
  const missing = settled.find(({ status }) => status !== "DEPLOYED");
  if (missing) throw new Error(`${missing.status}: ${missing.status_message}`);
  const ready = (performance.now() - begun) / 1000;
  await Bun.sleep(REST_MS);
  const sizes = childSizes(pid);
  const own = processTree(pid);
  const all = sum(sizes);
  const figures = { ready, each: all / sizes.length / 1e6, control: own && (own.rssBytes - all) / 1e6 };
  if (sizes.length < job.deployments) throw new Error(`only ${sizes.length} deployments are awake`);
  const limit = performance.now() + SLEEP_LIMIT_MS;
  while (childSizes(pid).length > 0 && performance.now() < limit) await Bun.sleep(100);
  const asleep = sum(childSizes(pid)) / job.deployments / 1e6;
  const wakes: number[] = [];
  for (const { id } of made.slice(0, WOKEN)) wakes.push(await wake(`${url}/d/${id}/info`));
  return { ...figures, asleep, wake: median(wakes) };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

/** Bytes of each process that serves a deployment. */
const childSizes = (pid: number): number[] =>
  (processTree(pid)?.pids ?? [])
    .filter((member) => member !== pid)
    .flatMap((member) => processTree(member)?.largestRssBytes ?? []);

/** From a request to the answer of a deployment that sleeps, ms. */
async function wake(address: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(address, { headers: { "x-api-key": BENCH_KEY } });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  await answer.arrayBuffer();
  return performance.now() - begun;
}
