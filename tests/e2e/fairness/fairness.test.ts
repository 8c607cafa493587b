import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { LONG_TIMES, TEST_LIMIT_MS } from "../../limits.ts";
import { notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { slownessOfMachine } from "../stalls/stall-meter.ts";
import type { Latencies, ProbeTarget } from "./prober.ts";
import { WorstLoad } from "./worst-load.ts";

const KEY = "a-key-for-fairness";
const LOAD_MS = 60_000;
const QUIET_MS = 30_000;
/** How much later (ms) a request of another workspace may be answered, on a quiet machine. */
const MAX_CHANGE_MS = 50;

let berth: BerthProcess;
let load: WorstLoad;
const api = new DeploymentApi(() => berth.url, KEY);

/** Measures the workspace that does nothing unusual, in a thread of its own. */
class Prober {
  readonly #worker = new Worker(join(import.meta.dir, "prober.ts"));

  async open(target: ProbeTarget): Promise<void> {
    await this.#say(target);
  }

  async during(work: Promise<unknown>): Promise<Latencies> {
    await this.#say("begin");
    await work;
    const measured = (await this.#say("end")) as Latencies | { failure: string };
    if ("failure" in measured) throw new Error(measured.failure);
    return measured;
  }

  close(): void {
    void this.#worker.terminate();
  }

  #say(what: ProbeTarget | "begin" | "end"): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#worker.once("message", resolve);
    this.#worker.postMessage(what);
    return promise;
  }
}

const prober = new Prober();

/** A workspace with a key of its own. */
async function newWorkspace(name: string): Promise<string> {
  const { id } = await api.ask<{ id: string }>("POST", "/v1/workspaces", { name });
  const made = await fetch(`${berth.url}/v1/keys`, {
    method: "POST",
    headers: { "x-api-key": KEY, "x-tenant-id": id, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  return ((await made.json()) as { secret: string }).secret;
}

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, SLEEP_MINUTES: "0", DEPLOY_SETTLE_SECONDS: "0.1" } });
  const { id, latest_revision_id } = await api.fromTemplate("calm", "chat", [
    { name: "OFFLINE_TOKEN_MS", value: "0" },
  ]);
  expect((await api.settled(id, latest_revision_id)).status).toBe("DEPLOYED");
  load = new WorstLoad(berth.url, await newWorkspace("worst"));
  await load.prepare();
  await prober.open({ url: berth.url, key: KEY, deployment: id });
});

afterAll(async () => {
  prober.close();
  await berth.stop();
});

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;

const summary = (times: readonly number[]) =>
  `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)}, worst ${Math.max(...times).toFixed(1)} ms of ${times.length}`;

testUnless(notLong)(
  "a workspace that does its worst for a minute changes what another workspace waits by less than 50 ms",
  async () => {
    const slowness = slownessOfMachine();
    const before = await prober.during(Bun.sleep(QUIET_MS));
    const during = await prober.during(load.run(LOAD_MS));
    const after = await prober.during(Bun.sleep(QUIET_MS));
    const limit = MAX_CHANGE_MS * Math.max(slowness, slownessOfMachine());
    const changes = (["ok", "firstToken"] as const).map((name) => {
      // The worse of both: the work of others on the machine comes and goes.
      const quiet = Math.max(percentile(before[name], 0.99), percentile(after[name], 0.99));
      const change = percentile(during[name], 0.99) - quiet;
      console.log(`${name}: before ${summary(before[name])}`);
      console.log(`${name}: during ${summary(during[name])}`);
      console.log(`${name}: after ${summary(after[name])}; p99 changes by ${change.toFixed(1)} ms`);
      return change;
    });
    console.log(`load: ${JSON.stringify(load.applied)}; limit ${limit.toFixed(0)} ms`);
    for (const [kind, count] of Object.entries(load.applied))
      if (kind !== "refused") expect([kind, count > 0]).toEqual([kind, true]);
    for (const change of changes) expect(change).toBeLessThan(limit);
  },
  LONG_TIMES * TEST_LIMIT_MS,
);
