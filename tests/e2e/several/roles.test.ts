import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { execute, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import type { BerthProcess } from "../berth-process.ts";
import { until } from "../condition.ts";
import { ask, call, joinStream } from "../crash-http.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { processesBelow } from "../executors/processes.ts";
import { Berths } from "./berths.ts";

type Run = { run_id: string; thread_id: string; status: string };

describeUnless(withoutPostgres())("a front, an executor and control on one Postgres", () => {
  const folder = mkdtempSync(join(tmpdir(), "berth-roles-"));
  let berths: Berths;
  let front: BerthProcess;
  let executor: BerthProcess;
  let control: BerthProcess;

  beforeAll(async () => {
    berths = await Berths.on();
    const started = (role: string) => berths.start({ project: CRASH_PROJECT, args: ["--role", role] });
    [front, executor, control] = await Promise.all([
      started("front"),
      started("executor"),
      started("control"),
    ]);
  });
  afterAll(async () => {
    await berths.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const witnesses = (file: string) =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => Number(line.split(" ")[0]));
  const pidsOf = ({ pid }: BerthProcess) => [pid, ...processesBelow(pid)];

  test(
    "runs are created, followed and read at the front, and executed by the executor",
    async () => {
      const file = join(folder, "witnesses");
      const { thread_id } = await ask<Run>(front.url, "POST", "/threads", {});
      const body = {
        assistant_id: "witness",
        input: { file, label: "one", pause: 1 },
        stream_resumable: true,
      };
      const run = await ask<Run>(front.url, "POST", `/threads/${thread_id}/runs`, body);
      const path = `/threads/${thread_id}/runs/${run.run_id}`;
      expect(await ask(front.url, "GET", `${path}/join`)).toMatchObject({ label: "one" });
      expect((await joinStream(front.url, path, "-1")).length).toBeGreaterThan(1);
      const state = await ask<{ values: object }>(front.url, "GET", `/threads/${thread_id}/state`);
      expect(state.values).toMatchObject({ label: "one" });
      // What nobody hears of before its end is not executed by the front itself either.
      const waited = { assistant_id: "witness", input: { file, label: "two", pause: 1 } };
      expect(await ask(front.url, "POST", "/runs/wait", waited)).toMatchObject({ label: "two" });
      const pids = witnesses(file);
      expect(pids).toHaveLength(2);
      for (const pid of pids) expect(pidsOf(executor)).toContain(pid);
      expect(await ask(front.url, "GET", "/assistants/witness/schemas")).toHaveProperty("input_schema");
    },
    TEST_LIMIT_MS,
  );

  test("an executor and control say how they do, and have no API", async () => {
    for (const { url } of [executor, control]) {
      expect((await call(url, "GET", "/ok")).body).toEqual({ ok: true });
      expect((await call(url, "GET", "/metrics")).text).toContain("berth_runs_running");
      for (const path of ["/threads", "/v1/system", "/console", "/docs"])
        expect((await call(url, "GET", path)).status).toBe(404);
      expect((await call(url, "POST", "/threads", {})).status).toBe(404);
    }
  });

  test(
    "control fires crons, and leads",
    async () => {
      const file = join(folder, "crons");
      const cron = {
        assistant_id: "witness",
        schedule: "0 0 1 1 *",
        input: { file, label: "tick", pause: 1 },
      };
      await ask(front.url, "POST", "/runs/crons", cron);
      // Nobody is told of this: who looks by itself finds it.
      await execute(berths.database, "update crons set next_run_at = 1");
      await until("its run", async () => Bun.file(file).exists());
      const leases = await until(
        "the lease",
        async () => (await ask<{ leases: Lease[] }>(front.url, "GET", "/v1/system")).leases,
        (all) => all.some(({ kind }) => kind === "reconciler"),
      );
      const holder = leases.find(({ kind }) => kind === "reconciler")?.holder;
      expect(holder).toEndWith(`process ${control.pid}`);
    },
    TEST_LIMIT_MS,
  );
});

type Lease = { kind: string; holder: string };
