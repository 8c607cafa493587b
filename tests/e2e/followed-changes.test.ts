import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "./berth-process.ts";
import { ChangeReader } from "./change-reader.ts";
import { until } from "./condition.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { type ProjectFiles, tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-followers";
/** Every status of a revision with which all goes well, in the order of its life. */
const WELL = ["CREATING", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "DEPLOYED"];
const GATE = join(tmpdir(), `berth-gate-${process.pid}`);
const SECRET = "not-for-followers";

let berth: BerthProcess;
const api = new DeploymentApi(() => berth.url, KEY);
const readers: ChangeReader[] = [];
/** There from the beginning, and it breaks behind each event. */
let live: ChangeReader;
let breaking: ChangeReader;

beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
  live = follow();
  breaking = follow(0, true);
});

afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.stop()));
  expect(await berth.stop()).toBe(0);
  rmSync(GATE, { force: true });
});

function follow(since = 0, breaks = false): ChangeReader {
  const reader = new ChangeReader(() => berth.url, { key: KEY, since, breaks });
  readers.push(reader);
  return reader;
}

/** What a reader has that comes when all is over, once those who were there have as much. */
async function everythingOf(lastId: string, lastStatus: string): Promise<ChangeReader> {
  const late = follow();
  await until(
    `the last event to be ${lastStatus}`,
    async () => late.events.filter(({ data }) => data.id === lastId).at(-1)?.data.status,
    (status) => status === lastStatus,
  );
  const last = late.of(lastId).at(-1)?.id ?? 0;
  await Promise.all([live.past(last), breaking.past(last)]);
  const upTo = ({ events }: ChangeReader) => events.filter(({ id }) => id <= last);
  expect(upTo(live)).toEqual(upTo(late));
  expect(upTo(breaking)).toEqual(upTo(late));
  const ids = late.events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  return late;
}

/** A project whose build goes on only when the gate is open. */
async function gated(answer: string): Promise<ProjectFiles> {
  const files = await tinyAgent(answer);
  const wait = `import { existsSync } from "node:fs";
while (!existsSync(${JSON.stringify(GATE)})) await new Promise((resolve) => setTimeout(resolve, 20));`;
  return { ...files, "agent.ts": `${wait}\n${files["agent.ts"]}` };
}

test("each state of a revision is told once and in order, whoever reads and when", async () => {
  const { id, latest_revision_id: waiting } = await api.ask<{ id: string; latest_revision_id: string }>(
    "POST",
    "/v2/deployments",
    {
      ...{ name: "followed", source: "internal_source", source_config: {} },
      source_revision_config: { langgraph_config_path: "graph.json" },
      secrets: [{ name: "TOKEN", value: SECRET }],
    },
  );
  const first = await api.push(id, await tinyAgent("one"));
  expect((await api.settled(id, first)).status).toBe("DEPLOYED");
  const broken = await api.push(id, { ...(await tinyAgent("two")), "agent.ts": "export const graph = (;" });
  const failed = await api.settled(id, broken);
  const late = await everythingOf(broken, "BUILD_FAILED");
  expect(late.statusesOf(waiting)).toEqual(["QUEUED", "SKIPPED"]);
  expect(late.statusesOf(first)).toEqual(WELL);
  expect(late.statusesOf(broken)).toEqual(["CREATING", "AWAITING_BUILD", "BUILDING", "BUILD_FAILED"]);
  // The other facts are those of that moment, too.
  expect(late.of(first).map(({ data }) => [data.ended_at, data.deployed_at].map(Boolean))).toEqual(
    WELL.map((status) => [status === "DEPLOYED", status === "DEPLOYED"]),
  );
  expect(late.of(broken).map(({ data }) => data.status_message)).toEqual([
    ...[null, null, null],
    failed.status_message,
  ]);
  // What is left of its build is removed behind that change.
  const now = { ...(await api.revision(id, broken)), updated_at: expect.any(String) };
  expect(late.of(broken).at(-1)?.data).toEqual(now);
  const active = late.of(id).map(({ data }) => [data.status, data.active_revision_id]);
  expect(active[0]).toEqual(["AWAITING_DATABASE", null]);
  expect(active.at(-1)).toEqual(["READY", first]);
  expect(late.of(id).map(({ data }) => data.latest_revision_id)).toContain(waiting);
  expect(JSON.stringify(late.events)).not.toContain(SECRET);
  expect(breaking.resumed).toBeGreaterThan(WELL.length);
});

test("a restart in the middle of a build tells no state again, and loses none", async () => {
  const { id } = await api.fromSource("restarted");
  const revision = await api.push(id, await gated("three"));
  await api.settled(id, revision, ["BUILDING"]);
  await until("BUILDING to be told", async () => live.statusesOf(revision).includes("BUILDING"));
  await berth.kill9();
  berth = await berth.restartInPlace();
  writeFileSync(GATE, "");
  expect((await api.settled(id, revision)).status).toBe("DEPLOYED");
  const late = await everythingOf(revision, "DEPLOYED");
  expect(late.statusesOf(revision)).toEqual(WELL);
  expect(live.resumed).toBeGreaterThan(0);
});

test("who comes when a deployment is gone hears of its whole life, and of its end", async () => {
  const { id, latest_revision_id } = await api.fromSource("gone");
  await api.delete(id);
  await until("its name to be free", () => api.fromSource("gone").catch(() => undefined));
  const late = follow();
  await until("its end", async () => late.of(id).some(({ event }) => event === "deleted"));
  expect(late.of(id).map(({ event }) => event)).toEqual(["deployment", "deleted"]);
  expect(late.of(id).at(-1)?.data).toEqual({ id });
  expect(late.statusesOf(latest_revision_id)).toEqual(["QUEUED", "INTERRUPTED"]);
});
