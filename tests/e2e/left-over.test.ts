import { afterEach, expect, test } from "bun:test";
import { DATA_MARK, dataMark, processesWith } from "../../server/machine/process-table.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { CRASH_PROJECT } from "./crash-round.ts";
import { DeploymentApi } from "./deployment-api.ts";

const KEY = "a-key-for-deployments";
/** Longer than anything between two looks of the control plane. */
const RUN = { assistant_id: "steps", input: { total: 2, pause: 4_000 } };

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);

afterEach(async () => {
  expect(await berth.stop()).toBe(0);
});

/** What runs for a data folder. */
function running(data: string): () => number[] {
  const mark = dataMark(data);
  return () => processesWith(DATA_MARK).flatMap(({ pid, marks }) => (marks[DATA_MARK] === mark ? [pid] : []));
}

test("a Berth that is told to stop while a run ends, a revision starts and a deployment is deleted leaves no process", async () => {
  const env = { SERVICE_API_KEY: KEY, BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "60", DRAIN_SECONDS: "0" };
  berth = await start({ project: CRASH_PROJECT, env });
  const pids = running(berth.data);
  const kept = await api.fromTemplate("kept");
  const deleted = await api.fromTemplate("deleted");
  for (const { id, latest_revision_id } of [kept, deleted]) await api.settled(id, latest_revision_id);
  expect(pids()).toHaveLength(2);
  const { thread_id } = await api.ask<{ thread_id: string }>("POST", "/threads", {});
  await api.ask("POST", `/threads/${thread_id}/runs`, RUN);
  for (const { id } of [kept, deleted])
    await api.ask("PATCH", `/v2/deployments/${id}`, { secrets: [{ name: "A", value: "b" }] });
  process.kill(berth.pid, "SIGINT");
  await until(
    "it to stop",
    () => fetch(`${berth.url}/ok`),
    ({ status }) => status === 503,
  );
  await api.delete(deleted.id);
  expect(await berth.ended).toBe(0);
  expect(pids()).toEqual([]);

  berth = await berth.restartOnSameData();
  await until(
    "the deleted one to be gone",
    async () => (await api.fromTemplate("deleted").catch(() => undefined)) !== undefined,
  );
  const { latest_revision_id } = await api.deployment(kept.id);
  expect((await api.settled(kept.id, latest_revision_id)).status).toBe("DEPLOYED");
});
