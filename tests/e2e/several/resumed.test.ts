import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTimeOf } from "../../../server/machine/process-table.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { isWritten, query } from "../stored.ts";
import { tinyAgent } from "../tiny-agent.ts";

const KEY = "a-key-for-both-processes";
const LEASE_MS = 2_000;

type InstanceState = { id: string; revision_id: string; state: string; pid: number | null };
type Run = { run_id: string; thread_id: string; status: string };

/** Stops a process between two of its transactions: inside of one, it would hold SQLite's write lock. */
async function freeze({ pid, data }: BerthProcess): Promise<void> {
  await until("the process to stop where it holds no lock", async () => {
    process.kill(pid, "SIGSTOP");
    const isFree = !(await isWritten(data));
    if (!isFree) process.kill(pid, "SIGCONT");
    return isFree;
  });
}

describe("a process that was stopped for longer than its leases, and goes on", () => {
  let first: BerthProcess;
  let second: BerthProcess;
  const folder = mkdtempSync(join(tmpdir(), "berth-resumed-"));
  const witnesses = join(folder, "witnesses");

  beforeAll(async () => {
    const env = { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", RUN_LEASE_MS: String(LEASE_MS) };
    first = await start({ project: CRASH_PROJECT, env });
    await until("the first to lead", leader, (pid) => pid === first.pid);
    second = await first.restartOnSameData();
  });

  afterAll(async () => {
    await first.stop();
    await second.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function leader(): Promise<number | undefined> {
    return (await query<{ pid: number }>(first.data, "select pid from control_lease"))[0]?.pid;
  }

  const instances = () =>
    query<InstanceState>(first.data, "select id, revision_id, state, pid from instances order by id");

  const lines = () => {
    try {
      return readFileSync(witnesses, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { kind: string; attempt: number });
    } catch {
      return [];
    }
  };

  test(
    "leaves alone what the new leader runs and starts, and stops a run that was ended elsewhere",
    async () => {
      const api = new DeploymentApi(() => second.url, KEY);
      const old = new DeploymentApi(() => first.url, KEY);
      const kept = await api.fromSource("kept");
      const keptRevision = await api.push(kept.id, await tinyAgent("kept"));
      expect((await api.settled(kept.id, keptRevision)).status).toBe("DEPLOYED");
      const { pid: keptPid } = await api.answer(kept.id);
      const thread = await old.ask<{ thread_id: string }>("POST", "/threads", {});
      const run = await old.ask<Run>("POST", `/threads/${thread.thread_id}/runs`, {
        assistant_id: "marked",
        input: { file: witnesses, label: "resumed", pause: TEST_LIMIT_MS },
      });
      await until("the run to begin", async () => lines().length === 1);

      await freeze(first);
      const path = `/threads/${thread.thread_id}/runs/${run.run_id}`;
      await until("the other process to take the run", async () => lines().length === 2);
      await api.ask("POST", `${path}/cancel?wait=1`);
      await until("the other process to lead", leader, (pid) => pid === second.pid);
      const { id } = await api.fromSource("begun");
      const files = await tinyAgent("begun");
      // It is being started for some seconds.
      const revision = await api.push(id, {
        ...files,
        "agent.ts": `await new Promise((resolve) => setTimeout(resolve, 4_000));\n${files["agent.ts"]}`,
      });
      const begun = await until("the process of the revision", async () =>
        (await instances()).find((one) => one.revision_id === revision && one.pid !== null),
      );
      if (!begun) throw new Error("no instance was started");

      process.kill(first.pid, "SIGCONT");
      expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED", status_message: null });
      const own = (await instances()).filter((one) => one.revision_id === revision);
      expect(own).toEqual([{ ...begun, state: "serving" }]);
      expect((await api.answer(id)).pid).toBe(Number(begun.pid));
      expect((await api.answer(kept.id)).pid).toBe(keptPid);
      expect(startTimeOf(keptPid)).toBeDefined();
      await until("the run to end where it was stopped", async () =>
        lines().some(({ kind, attempt }) => kind === "end" && attempt === 1),
      );
      expect(await old.ask<Run>("GET", path)).toMatchObject({ status: "interrupted" });
      expect(await leader()).toBe(second.pid);
    },
    TEST_LIMIT_MS,
  );
});
