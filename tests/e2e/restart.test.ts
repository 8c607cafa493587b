import { afterAll, beforeAll, expect, test } from "bun:test";
import { DATA_MARK, dataMark, processesWith } from "../../server/machine/process-table.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { query } from "./stored.ts";
import { tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-restarts";

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
let id: string;
let pid: number;

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0" } });
  ({ id } = await api.fromSource("kept"));
  const revision = await api.push(id, await tinyAgent("kept", 1_000));
  expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
  ({ pid } = await api.answer(id));
});

afterAll(async () => {
  await berth.stop();
});

/** What runs for the data folder. */
const running = (): number[] => {
  const mark = dataMark(berth.data);
  return processesWith(DATA_MARK).flatMap(({ pid, marks }) => (marks[DATA_MARK] === mark ? [pid] : []));
};

const stopCommand = (...args: string[]) => berthCommand(["stop", "--data", berth.data, ...args]);

const answering = () => until("the deployment to answer", () => api.answer(id).catch(() => undefined));

test("SIGTERM leaves what is deployed running, answers what is asked, and the next start goes on with it", async () => {
  const begun = await api.fromTemplate("begun");
  await until(
    "its revision to be under way",
    () => api.revision(begun.id, begun.latest_revision_id),
    ({ status }) => status === "DEPLOYING",
  );
  const asked = api.answer(id);
  await until("the request to be under way", async () => {
    const metrics = await (await fetch(`${berth.url}/metrics`, { headers: { "x-api-key": KEY } })).text();
    return /^berth_gateway_open\S* [1-9]/m.test(metrics);
  });
  expect(await berth.terminate()).toBe(0);
  expect((await asked).pid).toBe(pid);
  expect(running()).toContain(pid);

  berth = await berth.restartInPlace();
  expect((await answering())?.pid).toBe(pid);
  expect((await api.settled(begun.id, begun.latest_revision_id)).status).toBe("DEPLOYED");
  expect(await query(berth.data, "select pid, restarts from instances where deployment_id = ?", id)).toEqual([
    { pid, restarts: 0 },
  ]);
});

test("berth stop stops Berth alone, and berth stop --all what it left", async () => {
  const stopped = await stopCommand();
  expect([stopped.code, stopped.stderr]).toEqual([0, ""]);
  expect(stopped.stdout).toContain(`Berth (process ${berth.pid}) has stopped`);
  expect(await berth.ended).toBe(0);
  expect(running()).toContain(pid);

  const all = await stopCommand("--all");
  expect([all.code, all.stderr]).toEqual([0, ""]);
  expect(all.stdout).toContain("No Berth runs");
  expect(running()).toEqual([]);
  expect(await query(berth.data, "select state, pid from instances where deployment_id = ?", id)).toEqual([
    { state: "serving", pid: null },
  ]);

  berth = await berth.restartInPlace();
  const answer = await answering();
  expect(answer?.pid).not.toBe(pid);
});

test("berth stop --all stops a Berth that runs, with everything that it has deployed", async () => {
  expect(running().length).toBeGreaterThan(0);
  const { code, stdout } = await stopCommand("--all");
  expect([code, await berth.ended]).toEqual([0, 0]);
  expect(stdout).toContain("No deployed agent of this data folder runs any more");
  expect(running()).toEqual([]);
  berth = await berth.restartInPlace();
  await answering();
});

test("Ctrl-C stops everything", async () => {
  process.kill(berth.pid, "SIGINT");
  expect(await berth.ended).toBe(0);
  expect(running()).toEqual([]);
  berth = await berth.restartInPlace();
});
