import { until } from "../condition.ts";
import { processesBelow } from "../executors/processes.ts";
import { type Cluster, LEASE_MS } from "./cluster.ts";

/** What breaks in a round. */
export const FAULTS = ["kill", "freeze", "backends", "restart", "crash", "nothing"] as const;
export type FaultKind = (typeof FAULTS)[number];

/** A process that executed nothing from a moment on, until another (ms of the machine's clock). */
export type Loss = { pid: number; from: number; until: number };

/** How soon a load balancer's health check finds out about a process that does not answer. */
const NOTICED_MS = 700;

export const machineMs = (): number => performance.timeOrigin + performance.now();

/** Breaks something, and puts it right; resolves when everything answers again. */
export async function strike(cluster: Cluster, fault: FaultKind, random: () => number): Promise<Loss[]> {
  const victim = Math.floor(random() * cluster.berths.length);
  if (fault === "kill") return kill(cluster, victim);
  if (fault === "freeze") return freeze(cluster, victim, LEASE_MS * (1.3 + 2 * random()));
  if (fault === "backends") await terminate(cluster, 1 + Math.floor(random() * 3), random);
  if (fault === "restart") await restart(cluster, "fast", random() * 600);
  if (fault === "crash") await restart(cluster, "immediate", random() * 600);
  await everybodyAnswers(cluster);
  return [];
}

async function kill(cluster: Cluster, at: number): Promise<Loss[]> {
  const pid = cluster.berths[at]?.pid ?? 0;
  const pids = [pid, ...processesBelow(pid)];
  const berth = await cluster.kill9(at);
  // It may have begun something until it was gone.
  const from = machineMs();
  cluster.berths[at] = await berth.restartInPlace();
  return pids.map((pid) => ({ pid, from, until: Number.POSITIVE_INFINITY }));
}

async function freeze(cluster: Cluster, at: number, ms: number): Promise<Loss[]> {
  const berth = cluster.berths[at];
  if (!berth) throw new Error("there is no such Berth");
  const pids = [berth.pid, ...processesBelow(berth.pid)];
  const from = machineMs();
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  try {
    await Bun.sleep(NOTICED_MS);
    const back = cluster.balancer.without(berth.url);
    await Bun.sleep(ms - NOTICED_MS);
    setTimeout(back, NOTICED_MS);
  } finally {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  }
  const until = machineMs();
  return pids.map((pid) => ({ pid, from, until }));
}

/** Ends all connections to the database, some times. */
async function terminate(cluster: Cluster, times: number, random: () => number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    await cluster.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'chaos' and pid <> pg_backend_pid()",
    );
    await Bun.sleep(random() * 200);
  }
}

async function restart({ postgres }: Cluster, how: "fast" | "immediate", awayMs: number): Promise<void> {
  await postgres.stop(how);
  await Bun.sleep(awayMs);
  await postgres.start();
}

/** A database that was away is back for everybody within a moment; without a restart. */
async function everybodyAnswers({ berths }: Cluster): Promise<void> {
  for (const { url } of berths)
    await until("a Berth to answer", async () => {
      const answer = await fetch(`${url}/ok`).catch(() => undefined);
      return answer?.status === 200;
    });
}
