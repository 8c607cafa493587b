import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { BUILD_MARK, DEPLOYMENT_MARK, processesWith } from "../../server/machine/process-table.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi, type Revision } from "./deployment-api.ts";
import { query } from "./stored.ts";
import { tinyAgent } from "./tiny-agent.ts";

const LONG = process.env.BERTH_LONG === "1";
const KEY = "a-key-for-deployments";
/** Where a revision is when Berth is killed; polling may see it a little further. */
const STATES = LONG
  ? ["CREATING", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"]
  : ["BUILDING", "DEPLOYING", "DEPLOYED"];
/** Rounds in which it is killed at any moment. */
const ROUNDS = LONG ? 30 : 0;
const SEED = Number(process.env.BERTH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const LONGEST_MS = 2_500;

let berth: BerthProcess;
let id: string;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, HANG_SECONDS: "5" } });
  ({ id } = await api.fromSource("crashed"));
  expect((await api.settled(id, await api.push(id, await tinyAgent("0")))).status).toBe("DEPLOYED");
});

afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  expect(running()).toEqual([]);
});

/** Ids of the processes that were started with a variable set to this. */
const marked = (name: string, value: string): number[] =>
  processesWith(name)
    .filter(({ marks }) => marks[name] === value)
    .map(({ pid }) => pid);

/** Everything that runs for the deployment. */
const running = () => marked(DEPLOYMENT_MARK, id);

async function killedAndBack(): Promise<void> {
  await berth.kill9();
  berth = await berth.restartInPlace();
}

/** One instance runs, and there is nothing else: no process, no folder. */
async function expectOrder(answer: string): Promise<void> {
  await until(
    "one process to be left",
    async () => running(),
    (pids) => pids.length === 1,
  );
  const said = await api.answer(id);
  expect([said.said, running()]).toEqual([answer, [said.pid]]);
  const { resources } = await api.ask<{ resources: Revision[] }>(
    "GET",
    `/v2/deployments/${id}/revisions?limit=100`,
  );
  for (const revision of resources) expect(marked(BUILD_MARK, revision.id)).toEqual([]);
  const kept = resources.filter((revision) => revision.build_kept).map((revision) => revision.id);
  await until(
    "only kept builds to be left",
    async () => readdirSync(join(berth.data, "builds")).filter((name) => !kept.includes(name)),
    (others) => others.length === 0,
  );
  // Its files go when its process has gone.
  await until(
    "one instance's files to be left",
    async () => readdirSync(join(berth.data, "deployments", id, "instances")),
    (instances) => instances.length === 1,
  );
}

describe("kill -9 of Berth", () => {
  test.each(STATES)("at %s", async (state) => {
    const reached = [...STATES.slice(STATES.indexOf(state)), "DEPLOYED"];
    const revision = await api.push(id, await tinyAgent(state));
    await until(
      `it to be ${state}`,
      () => api.revision(id, revision),
      ({ status }) => reached.includes(status),
    );
    await killedAndBack();
    expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED" });
    await expectOrder(state);
  });

  test("while nothing happens leaves the agent running, and the next start takes it over", async () => {
    const before = await api.answer(id);
    await berth.kill9();
    expect(running()).toEqual([before.pid]);
    berth = await berth.restartInPlace();
    await until("the gateway to find it", () => api.answer(id).catch(() => undefined));
    expect((await api.answer(id)).pid).toBe(before.pid);
  });

  testUnless(notLong)("at any moment", async () => {
    let seed = SEED;
    for (let round = 0; round < ROUNDS; round += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      const revision = await api.push(id, await tinyAgent(`round ${round}`));
      await Bun.sleep(seed % LONGEST_MS);
      await killedAndBack();
      expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED" });
      await expectOrder(`round ${round}`);
    }
  });
});

test("kill -9 of a deployed process: it is started again, and requests wait for it", async () => {
  const before = await api.answer(id);
  process.kill(before.pid, "SIGKILL");
  const after = await until(
    "another process to answer",
    () => api.answer(id).catch(() => undefined),
    (answer) => answer !== undefined && answer.pid !== before.pid,
  );
  expect(after?.said).toBe(before.said);
  await expectOrder(before.said);
});

test("whoever takes the port of a dead process is sent nothing: no request, no token", async () => {
  const before = await api.answer(id);
  const stolen: string[] = [];
  const asked: Promise<unknown>[] = [];
  const ask = () =>
    fetch(`${berth.url}/d/${id}/info`, { headers: { "x-api-key": KEY, authorization: "Bearer mine" } })
      .then((response) => response.text())
      .catch(() => undefined);
  const port = await portOf(before.pid);
  process.kill(before.pid, "SIGKILL");
  const thief = await until("the port to be free", async () => {
    asked.push(ask());
    return listenAt(port, (request) => {
      stolen.push(`${request.method} ${request.url} ${JSON.stringify([...request.headers])}`);
      return new Response("stolen");
    });
  });
  try {
    const after = await until(
      "another process to answer",
      () => {
        asked.push(ask());
        return api.answer(id).catch(() => undefined);
      },
      (answer) => answer !== undefined && answer.pid !== before.pid,
    );
    expect(await portOf(after?.pid ?? 0)).not.toBe(port);
    expect(await Promise.all(asked)).not.toContain("stolen");
    expect(stolen).toEqual([]);
  } finally {
    await thief?.stop(true);
  }
  await expectOrder(before.said);
});

/** At which port a deployed process listens, as its row says. */
async function portOf(pid: number): Promise<number> {
  const sql = "select port from instances where pid = ?";
  const [row] = await query<{ port: number }>(berth.data, sql, pid);
  if (!row) throw new Error(`no instance has the pid ${pid}`);
  return row.port;
}

function listenAt(port: number, fetch: (request: Request) => Response) {
  try {
    return Bun.serve({ hostname: "127.0.0.1", port, reusePort: false, fetch });
  } catch {
    return undefined;
  }
}

test("a deployed process that lives and answers nobody is ended and started again", async () => {
  // It ended twice before: a third time, as Berth counts, it would give way to the revision before.
  await killedAndBack();
  const before = await until("it to be taken over", () => api.answer(id).catch(() => undefined)).then(
    (answer) => answer ?? { said: "", pid: 0 },
  );
  process.kill(before.pid, "SIGSTOP");
  await until(
    "its process to be ended",
    async () => running(),
    (pids) => !pids.includes(before.pid),
  );
  const after = await until("another process to answer", () => api.answer(id).catch(() => undefined));
  expect(after?.said).toBe(before.said);
  await expectOrder(before.said);
});
