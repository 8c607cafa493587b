import { afterEach, beforeEach, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import type { Agent, Run } from "@berth/agent";
import { FIXTURES } from "../e2e/berth-process.ts";
import { eventually, openRunsRig, startRun } from "./runs/runs-rig.ts";

const MINUTE = 60_000;

let rig: Awaited<ReturnType<typeof openRunsRig>>;

beforeEach(async () => {
  rig = await openRunsRig();
});

afterEach(() => rig.close());

const witness = (label: string, pause = 0) => ({
  file: join(dirname(rig.file), "witnesses"),
  label,
  pause,
});

const statusOf = async ({ runs }: Agent, { run_id }: Run) => (await runs.get(run_id)).status;

const succeeds = (agent: Agent, run: Run) =>
  eventually("the run succeeds", async () => (await statusOf(agent, run)) === "success");

test("one that stands by claims nothing, whatever asks for it, until it is told to", async () => {
  const { agent } = await rig.openAgent({ standby: true });
  const run = await startRun(agent, "witness", witness("a"));
  await agent.queue.once(rig.now());
  await agent.queue.watch();
  expect(await statusOf(agent, run)).toBe("pending");
  expect(agent.queue.claims).toBe(false);
  await agent.claim(true);
  await succeeds(agent, run);
});

test("one that is told to leave runs to others finishes those it has and begins none", async () => {
  const { agent } = await rig.openAgent();
  const running = await startRun(agent, "witness", witness("a", 300));
  // More than there is room for: some run, some wait in the process, some in the database.
  const crowd = await Promise.all(
    Array.from({ length: 12 }, (_, at) => startRun(agent, "witness", witness(`b${at}`, 20))),
  );
  await agent.claim(false);
  const later = await startRun(agent, "witness", witness("c"));
  await succeeds(agent, running);
  await eventually("nothing to run", () => agent.queue.running === 0);
  expect(await statusOf(agent, later)).toBe("pending");
  const { agent: other } = await rig.openAgent();
  await other.queue.once(rig.now());
  for (const run of [...crowd, later]) await succeeds(other, run);
});

test("crons fire in the one that claims", async () => {
  const { agent: before } = await rig.openAgent();
  const { agent: after } = await rig.openAgent({ standby: true });
  await before.crons.create({
    assistant_id: "witness",
    thread_id: null,
    on_run_completed: "delete",
    schedule: "* * * * *",
    timezone: null,
    end_time: null,
    enabled: true,
    payload: { input: witness("tick") },
    metadata: {},
    user_id: null,
    user_permissions: [],
  });
  rig.advance(MINUTE);
  expect(await after.fireCrons(rig.now())).toBe(0);
  expect(await before.fireCrons(rig.now())).toBe(1);
  await before.claim(false);
  rig.advance(MINUTE);
  expect(await before.fireCrons(rig.now())).toBe(0);
  await after.claim(true);
  expect(await after.fireCrons(rig.now())).toBe(1);
  await eventually("no run", async () => (await after.queue.pending()) + after.queue.running === 0);
});

test("graphs that only the other one has keep their assistants until it takes over", async () => {
  const { agent: before } = await rig.openAgent();
  const { agent: after } = await rig.openAgent({ standby: true }, FIXTURES);
  const graphs = async () => {
    const { rows } = await after.assistants.search({ metadata: {}, limit: 100, offset: 0 });
    return rows.map(({ graph_id }) => graph_id);
  };
  expect(await graphs()).toEqual(expect.arrayContaining(["witness", "agent"]));
  await succeeds(before, await startRun(before, "witness", witness("still here")));
  await after.claim(true);
  expect(await graphs()).not.toContain("witness");
  expect(await graphs()).toContain("agent");
});
