import { processTree } from "../processes.ts";
import { api } from "./deployed.ts";
import { median } from "./drive.ts";
import type { Figures, JobOf } from "./job.ts";

type Served = { url: string; pid: number };

const REST_MS = 3_000;

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
  const pids = (processTree(pid)?.pids ?? []).filter((member) => member !== pid);
  const sizes = pids.flatMap((member) => processTree(member)?.largestRssBytes ?? []);
  const own = processTree(pid);
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return {
    ready,
    each: all / sizes.length / 1e6,
    control: own && (own.rssBytes - all) / 1e6,
    wake: await wake(
      url,
      pids,
      made.map(({ id }) => id),
    ),
  };
}

/** Ends processes one after the other, and asks each deployment at once: what the supervisor's pause adds is in it. */
async function wake(url: string, pids: number[], ids: string[]): Promise<number> {
  const times: number[] = [];
  for (const pid of pids.slice(0, 3)) {
    process.kill(pid, "SIGKILL");
    const begun = performance.now();
    await Promise.all(ids.map((id) => answered(`${url}/d/${id}/ok`)));
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function answered(address: string): Promise<void> {
  while (!(await fetch(address)).ok) await Bun.sleep(5);
}
