import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { query } from "./stored.ts";
import { tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-clock-steps";
const HOURS_MS = 2 * 3_600_000;
const LEASE_MS = 2_000;

type Run = { run_id: string; status: string };

describe("a Berth whose clock is set by two hours", () => {
  let berth: BerthProcess;
  const folder = mkdtempSync(join(tmpdir(), "berth-clock-"));
  const step = join(folder, "step");
  const api = new DeploymentApi(() => berth.url, KEY);
  let deployment: string;
  let pid: number;

  beforeAll(async () => {
    const env = {
      ...{
        SERVICE_API_KEY: KEY,
        DEPLOY_SETTLE_SECONDS: "0",
        RUN_LEASE_MS: String(LEASE_MS),
        HANG_SECONDS: "60",
      },
      ...{ BUN_OPTIONS: `--preload ${join(import.meta.dir, "clock-step.ts")}`, CLOCK_STEP_FILE: step },
    };
    berth = await start({ project: CRASH_PROJECT, env });
    ({ id: deployment } = await api.fromSource("kept"));
    const revision = await api.push(deployment, await tinyAgent("kept"));
    expect((await api.settled(deployment, revision)).status).toBe("DEPLOYED");
    ({ pid } = await api.answer(deployment));
  });

  afterAll(async () => {
    await berth.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const lines = (file: string) => {
    try {
      return readFileSync(file, "utf8").trim().split("\n");
    } catch {
      return [];
    }
  };

  async function began(label: string, pause: number): Promise<{ path: string; file: string }> {
    const file = join(folder, label);
    const { thread_id } = await api.ask<{ thread_id: string }>("POST", "/threads", {});
    const input = { file, label, pause };
    const run = await api.ask<Run>("POST", `/threads/${thread_id}/runs`, { assistant_id: "marked", input });
    await until("the run to begin", async () => lines(file).length === 1);
    return { path: `/threads/${thread_id}/runs/${run.run_id}`, file };
  }

  const leases = () =>
    query<{ until: number }>(berth.data, "select lease_until as until from runs where status = 'running'");
  const leader = async () =>
    (await query<{ until: number }>(berth.data, "select until from control_lease"))[0];

  for (const [direction, ms] of [
    ["forward", HOURS_MS],
    ["back", -HOURS_MS],
  ] as const)
    test(
      `${direction}: goes on with its runs, its executors and what it has deployed`,
      async () => {
        writeFileSync(step, "0");
        const { path, file } = await began(direction, 4 * LEASE_MS);
        const before = berth.output();
        writeFileSync(step, String(ms));
        // Renewed by the new time, soon: another process would otherwise take the run, or never.
        const isOfNow = (until: number | undefined) => Math.abs(Number(until) - Date.now() - ms) < 60_000;
        await until("its run's lease to be renewed", async () => isOfNow((await leases())[0]?.until));
        await until("its leadership to be renewed", async () => isOfNow((await leader())?.until));
        const ended = await until(
          "the run to end",
          () => api.ask<Run>("GET", path),
          ({ status }) => status !== "running",
        );
        expect(ended.status).toBe("success");
        expect(lines(file)).toHaveLength(2);
        const [begin] = lines(file);
        expect(JSON.parse(begin ?? "")).toMatchObject({ attempt: 1 });
        expect((await api.answer(deployment)).pid).toBe(pid);
        expect(await query(berth.data, "select restarts from instances")).toEqual([{ restarts: 0 }]);
        const said = berth.output().slice(before.length);
        for (const event of ["executor.lost", "run.lapsed", "run.lost", "control.lost", "instance.died"])
          expect(said).not.toContain(event);
      },
      TEST_LIMIT_MS,
    );

  test(
    "back, and killed: what it held is taken up at once, not in two hours",
    async () => {
      writeFileSync(step, "0");
      await until(
        "its leadership to be renewed",
        async () => Math.abs(Number((await leader())?.until) - Date.now()) < 60_000,
      );
      const { path, file } = await began("killed", 1_000_000);
      await berth.kill9();
      writeFileSync(step, String(-HOURS_MS));
      berth = await berth.restartOnSameData();
      await until("the run to begin again", async () => lines(file).length >= 2);
      await api.ask("POST", `${path}/cancel?wait=1`);
      expect((await api.answer(deployment)).pid).toBe(pid);
    },
    TEST_LIMIT_MS,
  );
});
