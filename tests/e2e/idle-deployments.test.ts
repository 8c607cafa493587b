import { afterAll, beforeAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { DATA_MARK, dataMark, processesWith } from "../../server/machine/process-table.ts";
import { quickest } from "../limits.ts";
import { because, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { DeploymentApi } from "./deployment-api.ts";

const KEY = "a-key-for-idle-deployments";
const DEPLOYMENTS = 5;
const WINDOW_MS = 10_000;
/** Of a core, for each deployment with its part of Berth. Before idle processes rested, it was above 2 %. */
const MOST_SHARE = 0.006;
/** A tick of the kernel's accounting (USER_HZ). */
const TICK_MS = 10;

const noProc = because(process.platform !== "linux", "there is no /proc");

let berth: BerthProcess;

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", SLEEP_MINUTES: "0" } });
});
afterAll(async () => {
  await berth.stop();
});

/** Processor time that a process has used, ms. */
function processorMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

testUnless(noProc)("idle deployments take next to nothing of a processor", async () => {
  const api = new DeploymentApi(() => berth.url, KEY);
  const names = Array.from({ length: DEPLOYMENTS }, (_, at) => `idle-${at}`);
  const all = await Promise.all(names.map((name) => api.fromTemplate(name)));
  await Promise.all(all.map(({ id, latest_revision_id }) => api.settled(id, latest_revision_id)));
  const mark = dataMark(berth.data);
  const deployed = processesWith(DATA_MARK).filter(({ marks }) => marks[DATA_MARK] === mark);
  const pids = [berth.pid, ...deployed.map(({ pid }) => pid)];
  expect(pids).toHaveLength(DEPLOYMENTS + 1);
  const used = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  const most = MOST_SHARE * DEPLOYMENTS * WINDOW_MS;
  // The first windows still have what follows a start.
  const taken = await quickest(most, async () => {
    const before = used();
    await Bun.sleep(WINDOW_MS);
    return used() - before;
  });
  expect(taken).toBeLessThan(most);
});
