import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { query } from "./stored.ts";

const KEY = "a-key-for-traces";
const RUNS = 4;

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
});

type Listed<T> = { resources: T[] };
type TraceFound = {
  id: string;
  name: string;
  status: string;
  span_count: number;
  metadata: { revision_id?: string };
};

async function tracesIn(project: string): Promise<TraceFound[]> {
  const named = `/v1/sessions?name=${encodeURIComponent(project)}`;
  const [session] = (await api.ask<Listed<{ id: string }>>("GET", named)).resources;
  if (!session) return [];
  return (await api.ask<Listed<TraceFound>>("GET", `/v1/traces?session_id=${session.id}&limit=100`))
    .resources;
}

test("a program elsewhere reports by setting an endpoint and a key", async () => {
  const client = new Client({ apiUrl: `${berth.url}/langsmith`, apiKey: KEY });
  const traced = { client, project_name: "elsewhere", tracingEnabled: true };
  const step = traceable(async (text: string) => text.toUpperCase(), { ...traced, name: "step" });
  const program = traceable(async (text: string) => step(text), { ...traced, name: "program" });
  expect(await program("hello")).toBe("HELLO");
  await client.awaitPendingTraceBatches();
  expect(await tracesIn("elsewhere")).toMatchObject([{ name: "program", status: "success", span_count: 2 }]);
});

test("without the key nothing comes in", async () => {
  for (const [path, headers] of [
    ["/langsmith/info", {}],
    ["/langsmith/sessions", { "x-api-key": "another" }],
  ] as const)
    expect((await fetch(berth.url + path, { headers })).status).toBe(401);
});

type Instance = { pid: number; deployment_id: string };

/** A row of a database that another process has open. */
function row<T>(path: string, sql: string): T | null {
  const db = new Database(path, { readonly: true });
  try {
    return db.query<T, []>(sql).get();
  } finally {
    db.close();
  }
}

const instance = async () =>
  (await query<Instance>(berth.data, "select pid, deployment_id from instances where state = 'serving'"))[0];

/** How many traces a deployed process has ended, and how many spans, or short runs, it has yet to send. */
function left() {
  const all = [...new Bun.Glob("**/berth.db").scanSync({ cwd: berth.data, onlyFiles: true })];
  const [path = ""] = all.filter((each) => each !== "berth.db");
  return row<{ ended: number; waiting: number }>(
    join(berth.data, path),
    `select (select count(*) from traces where status = 'success') ended,
      (select count(*) from spans where unshipped = 1)
        + (select count(*) from traces join span_packs on trace_id = id where unscanned = 1) waiting`,
  );
}

test("traces of a deployed process arrive once, whoever is killed meanwhile", async () => {
  const secrets = [{ name: "OFFLINE_TOKEN_MS", value: "20" }];
  const { id, latest_revision_id } = await api.fromTemplate("shop", "chat", secrets);
  expect(await api.settled(id, latest_revision_id)).toMatchObject({ status: "DEPLOYED" });
  const input = { messages: [{ role: "user", content: "hello" }] };
  const run = (how: string) =>
    api.ask("POST", `/d/${id}${how}`, { assistant_id: "chat", input, on_completion: "keep" });
  await run("/runs/wait");
  await until(
    "the first trace to arrive",
    () => tracesIn("shop"),
    ([first]) => first?.status === "success",
  );

  for (let n = 0; n < RUNS; n++) await run("/runs");
  await berth.kill9();
  await until(
    "the runs to end",
    async () => left(),
    (now) => now?.ended === RUNS + 1 && now.waiting > 0,
  );
  process.kill((await instance())?.pid ?? 0, "SIGKILL");
  berth = await berth.restartInPlace();
  const traces = await until(
    "the other traces to arrive",
    () => tracesIn("shop"),
    (found) => found.length >= RUNS + 1 && found.every(({ status }) => status === "success"),
  );
  await until(
    "everything to be sent",
    async () => left(),
    (now) => now?.waiting === 0,
  );
  const again = await tracesIn("shop");
  expect(again).toHaveLength(RUNS + 1);
  expect(again).toEqual(traces);
  expect(new Set(traces.map(({ span_count }) => span_count)).size).toBe(1);
  const revisions = new Set(traces.map(({ metadata }) => metadata.revision_id));
  expect([...revisions]).toEqual([latest_revision_id]);
  await api.delete(id);
});
