import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { because, testUnless } from "../skips.ts";
import { berthProgram, run } from "../smoke/program.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { langGraphBundle, type ProjectFiles } from "./tiny-agent.ts";

const KEY = "a-key-for-limits";
/** Of deployments that say nothing, in MiB; what the hungry one takes, and the other may. */
const LIMIT = 320;
const TAKEN = 400;
const MORE = 2_048;

let berth: BerthProcess;
let hungry: string;
let allowed: string;
const api = new DeploymentApi(() => berth.url, KEY);

/** An agent that says who it is; `grow N` takes N MiB, once for each file of its home, `leave` ends its process. */
async function hungryAgent(): Promise<ProjectFiles> {
  return {
    "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }),
    "langgraph.js": await langGraphBundle(),
    "agent.ts": `
import { existsSync, writeFileSync } from "node:fs";
import { Annotation, StateGraph } from "./langgraph.js";
const State = Annotation.Root({ said: Annotation, pid: Annotation });
const kept = [];
const say = async ({ said }) => {
  const [word, mib] = said.split(" ");
  if (word === "leave") process.exit(3);
  const mark = process.env.HOME + "/grown";
  // A run goes on in the next process, which takes no more.
  if (word === "grow" && !existsSync(mark)) {
    writeFileSync(mark, "");
    for (let taken = 0; taken < Number(mib); taken += 20) {
      kept.push(Buffer.alloc(20 * 2 ** 20, 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (let left = Number(process.env.STAY_MS ?? 0); left > 0; left -= 100)
      await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { said: String(kept.length), pid: process.pid };
};
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`,
  };
}

type Spec = Record<string, number>;

async function deployed(name: string, resource_spec: Spec | null, stayMs: number): Promise<string> {
  const { id } = await api.ask<{ id: string }>("POST", "/v2/deployments", {
    name,
    source: "internal_source",
    source_config: { resource_spec },
    source_revision_config: { langgraph_config_path: "graph.json" },
    secrets: [{ name: "STAY_MS", value: String(stayMs) }],
  });
  expect(await api.settled(id, await api.push(id, await hungryAgent()))).toMatchObject({
    status: "DEPLOYED",
  });
  return id;
}

const said = (id: string, word: string) =>
  api.ask<{ said: string; pid: number }>("POST", `/d/${id}/runs/wait`, {
    assistant_id: "agent",
    input: { said: word },
  });

async function logged(id: string, query: string): Promise<string[]> {
  const asked = new URLSearchParams({ deployment_id: id, log_type: "DEPLOY", query, page_size: "100" });
  const { items } = await api.ask<{ items: { message: string }[] }>("GET", `/v2/deployment-logs?${asked}`);
  return items.map(({ message }) => message);
}

const serving = async (id: string) => {
  const { active_revision_id } = await api.deployment(id);
  return api.revision(id, active_revision_id ?? "");
};

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY, MEMORY_LIMIT: `${LIMIT}M` } });
  // What takes too much stays until it is ended.
  [hungry, allowed] = await Promise.all([
    deployed("hungry", null, 600_000),
    deployed("allowed", { memory_limit_mb: MORE }, 0),
  ]);
});

afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

test("a deployed process that takes more than its limit is ended and started again, and nobody else", async () => {
  const before = await said(hungry, "who");
  const other = await said(allowed, "who");
  const growing = said(hungry, `grow ${TAKEN}`).catch(() => undefined);
  const after = await until(
    "another process to answer",
    () => said(hungry, "who").catch(() => undefined),
    (answer) => answer !== undefined && answer.pid !== before.pid,
  );
  expect(after?.said).toBe("0");
  await growing;
  const [line = ""] = await logged(hungry, "MiB");
  expect(line).toMatch(/more than its limit of 320 MiB.*(was ended|ended it); starting it again in 1 s$/);
  const shown = await until(
    "its state to say why",
    () => serving(hungry),
    (it) => it.status_message !== null,
  );
  expect(shown).toMatchObject({ status: "DEPLOYED", status_message: line });
  expect(await logged(allowed, "MiB")).toEqual([]);
  expect(await said(allowed, "who")).toEqual(other);
  expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
  const metrics = await fetch(`${berth.url}/metrics`, { headers: { "x-api-key": KEY } });
  expect(await metrics.text()).toContain('berth_deployment_restarts_total{reason="memory"} 1');
});

test("a deployment may take what its resource_spec says, although others may not", async () => {
  const before = await said(allowed, "who");
  await said(allowed, `grow ${TAKEN}`);
  // Two looks of Berth later it is still the same.
  await Bun.sleep(2_500);
  expect(await said(allowed, "who")).toEqual({ said: String(TAKEN / 20), pid: before.pid });
  expect(await serving(allowed)).toMatchObject({ status_message: null });
});

test("a deployed graph that calls process.exit fails its run, and its process lives on", async () => {
  const before = await said(allowed, "who");
  const failed = { __error__: { message: expect.stringContaining("process.exit(3) was called") } };
  expect(await said(allowed, "leave")).toMatchObject(failed);
  expect((await said(allowed, "who")).pid).toBe(before.pid);
});

testUnless(because(process.platform !== "linux", "needs /proc"))(
  "the kernel would end an instance before Berth",
  async () => {
    const scoreOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"));
    const { pid } = await said(allowed, "who");
    expect(scoreOf(pid)).toBe(Math.min(1_000, scoreOf(berth.pid) + 500));
  },
);

test.each([
  ["MEMORY_LIMIT", "512", 'MEMORY_LIMIT must be 0 or a size such as 512M or 1.5G, 256M at least, not "512"'],
  ["MEMORY_LIMIT", "64M", 'MEMORY_LIMIT must be 0 or a size such as 512M or 1.5G, 256M at least, not "64M"'],
  ["MEMORY_LIMIT", "-1G", 'MEMORY_LIMIT must be 0 or a size such as 512M or 1.5G, 256M at least, not "-1G"'],
  ["CPU_LIMIT", "0.01", 'CPU_LIMIT must be 0 or a number from 0.1 to 1024, not "0.01"'],
  ["CPU_LIMIT", "all", 'CPU_LIMIT must be 0 or a number from 0.1 to 1024, not "all"'],
])("%s=%s is refused at start", async (name, value, told) => {
  const words = ["start", "--port", "0", "--data", `${berth.data}-none`];
  const { code, err } = await run([...berthProgram(), ...words], berth.data, { [name]: value });
  expect({ code, err: err.trim() }).toEqual({ code: 1, err: `berth: ${told}` });
});

test.each([
  [{ memory_limit_mb: 0 }, "memory_limit_mb"],
  [{ memory_mb: "512M" }, "memory_mb"],
  [{ cpu_limit: 17 }, "cpu_limit"],
])("a resource_spec %j gets 422 and changes nothing", async (resource_spec, field) => {
  const { latest_revision_id } = await api.deployment(hungry);
  const body = { source_config: { resource_spec } };
  await expect(api.ask("PATCH", `/v2/deployments/${hungry}`, body)).rejects.toThrow(
    new RegExp(`: 422 .*${field}`),
  );
  expect((await api.deployment(hungry)).latest_revision_id).toBe(latest_revision_id);
});
