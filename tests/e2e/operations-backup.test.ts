import { afterAll, beforeAll, expect } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { type Frame, readFrames } from "./crash-http.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { tinyAgent } from "./tiny-agent.ts";

const KEY = "a-key-for-backups";
/** So much that a backup takes long enough to be killed in the middle. */
const BALLAST_BYTES = 8 * 2 ** 20;
const ENOUGH = 4;
/** Between two requests of a client: enough load to be under, and no more. */
const PACE_MS = 20;
const env = {
  ...{ SERVICE_API_KEY: KEY, WEBHOOK_ALLOW: "127.0.0.0/8", ENGINE_INTERVAL: "0" },
  RESUMABLE_STREAM_TTL_SECONDS: "3600",
};

/** What clients have been told, each as soon as they were. */
type Acknowledged = { threads: string[]; runs: StreamedRun[]; told: string[]; theirs: string[] };
type StreamedRun = { thread_id: string; run_id: string; frames: Frame[] };

const folder = mkdtempSync(join(tmpdir(), "berth-backup-"));
const asFolder = join(folder, "as-folder");
const acknowledged: Acknowledged = { threads: [], runs: [], told: [], theirs: [] };
const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
let berth: BerthProcess;
let restored: BerthProcess | undefined;
let deployment = "";
let stopLoad = false;
const api = new DeploymentApi(() => berth.url, KEY);
const restoredApi = new DeploymentApi(() => restored?.url ?? "", KEY);

const headers = { "x-api-key": KEY, "content-type": "application/json" };

beforeAll(async () => {
  berth = await start({ env });
  ({ id: deployment } = await api.fromSource("backed"));
  expect((await api.settled(deployment, await api.push(deployment, await tinyAgent("mine")))).status).toBe(
    "DEPLOYED",
  );
  const home = join(berth.data, "deployments", deployment, "home");
  writeFileSync(join(home, "ballast"), crypto.getRandomValues(new Uint8Array(65_536)));
  for (let at = 65_536; at < BALLAST_BYTES; at += 65_536)
    appendFileSync(join(home, "ballast"), crypto.getRandomValues(new Uint8Array(65_536)));
});

afterAll(async () => {
  await restored?.stop();
  await berth.stop();
  await receiver.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Clients that use everything at once, until they are told to stop. */
const load = () => Promise.all([streams(), talks(), theirThreads()]);

/** Runs whose events are followed. */
async function streams(): Promise<void> {
  while (!stopLoad) {
    const { thread_id } = await api.ask<{ thread_id: string }>("POST", "/threads", {});
    acknowledged.threads.push(thread_id);
    const frames: Frame[] = [];
    const response = await fetch(`${berth.url}/threads/${thread_id}/runs/stream`, {
      ...{ method: "POST", headers },
      body: JSON.stringify({
        ...{ assistant_id: "agent", input: { messages: [] } },
        ...{ stream_mode: ["values", "updates"], stream_resumable: true },
      }),
    });
    const run_id = /runs\/([^/]+)/.exec(response.headers.get("content-location") ?? "")?.[1] ?? "";
    acknowledged.runs.push({ thread_id, run_id, frames });
    expect(await readFrames(response, frames)).toBe(true);
    await Bun.sleep(PACE_MS);
  }
}

/** Runs that tell somebody of their end. */
async function talks(): Promise<void> {
  while (!stopLoad) {
    const body = {
      assistant_id: "agent",
      input: { messages: [] },
      webhook: `http://127.0.0.1:${receiver.port}/`,
    };
    const { thread_id } = await api.ask<{ thread_id: string }>("POST", "/threads", {});
    const run = await api.ask<{ run_id: string }>("POST", `/threads/${thread_id}/runs`, body);
    await api.ask("GET", `/threads/${thread_id}/runs/${run.run_id}/join`);
    acknowledged.told.push(run.run_id);
    await Bun.sleep(PACE_MS);
  }
}

async function theirThreads(): Promise<void> {
  while (!stopLoad) {
    const { thread_id } = await api.ask<{ thread_id: string }>("POST", `/d/${deployment}/threads`, {});
    acknowledged.theirs.push(thread_id);
    await Bun.sleep(PACE_MS);
  }
}

const backup = (to: string, ...more: string[]) => berthCommand(["backup", to, "--data", berth.data, ...more]);
const restore = (from: string, data: string) => berthCommand(["restore", from, "--data", data]);

const copyOf = ({ threads, runs, told, theirs }: Acknowledged): Acknowledged => ({
  ...{ threads: [...threads], told: [...told], theirs: [...theirs] },
  runs: runs.map((run) => ({ ...run, frames: [...run.frames] })),
});

testUnless(noFile)(
  "a backup under load has all that was acknowledged, and another place goes on with it",
  async () => {
    const working = load();
    await until(
      "work to have been done",
      async () => [acknowledged.told, acknowledged.runs, acknowledged.theirs].map(({ length }) => length),
      (counts) => counts.every((count) => count >= ENOUGH),
    );
    const before = copyOf(acknowledged);
    const file = join(folder, "backup.tar.gz");
    const made = await backup(file);
    const during = acknowledged.told.length - before.told.length;
    stopLoad = true;
    await working;
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain("read back and well");
    // Nobody had to wait for it.
    expect(during).toBeGreaterThan(0);
    const { pid } = await api.answer(deployment);

    const data = join(folder, "elsewhere");
    const put = await restore(file, data);
    expect([put.code, put.stderr]).toEqual([0, ""]);
    restored = await start({ env, data });
    await expectAll(before);
    // The same agent, in a process of its own: that of the first Berth is another's.
    const answer = await until("the deployment to be up", () =>
      restoredApi.answer(deployment).catch(() => undefined),
    );
    expect(answer?.said).toBe("mine");
    expect(answer?.pid).not.toBe(pid);
    await restored.stop();
    expect((await api.answer(deployment)).pid).toBe(pid);
    restored = undefined;
  },
);

async function expectAll({ threads, runs, told, theirs }: Acknowledged): Promise<void> {
  for (const id of threads) await restoredApi.ask("GET", `/threads/${id}`);
  for (const { thread_id, run_id, frames } of runs) {
    const response = await fetch(`${restored?.url}/threads/${thread_id}/runs/${run_id}/stream`, {
      headers: { ...headers, "last-event-id": "-1" },
    });
    const again: Frame[] = [];
    await readFrames(response, again);
    // Behind them may be more: what came after the moment that was looked at, or of the attempt that goes on.
    expect(again.slice(0, frames.length)).toEqual(frames);
  }
  await until("the deployment to be up", () => restoredApi.answer(deployment).catch(() => undefined));
  for (const id of theirs) await restoredApi.ask("GET", `/d/${deployment}/threads/${id}`);
  const sent = await deliveredRuns();
  expect(told.filter((id) => !sent.has(id))).toEqual([]);
}

/** The runs that the outbox tells of. */
async function deliveredRuns(): Promise<Set<string>> {
  const runs = new Set<string>();
  for (let offset = 0; ; ) {
    type Page = { resources: { id: string }[]; offset: number };
    const page = await restoredApi.ask<Page>("GET", `/v1/deliveries?limit=100&offset=${offset}`);
    for (const { id } of page.resources) {
      const { body } = await restoredApi.ask<{ body: string }>("GET", `/v1/deliveries/${id}`);
      runs.add(/"run_id":"([^"]+)"/.exec(body)?.[1] ?? "");
    }
    if (page.resources.length === 0) return runs;
    offset = page.offset;
  }
}

testUnless(noFile)(
  "kill -9 in the middle leaves nothing under the backup's name, and the next one clears up",
  async () => {
    const main = join(import.meta.dir, "..", "..", "server", "main.ts");
    const child = Bun.spawn([process.execPath, main, "backup", asFolder, "--data", berth.data], {
      ...{ env: process.env, stdio: ["ignore", "ignore", "ignore"] },
    });
    const partial = () => readdirSync(folder).filter((name) => name.endsWith(".partial"));
    await until("the backup to have begun", async () => partial().length > 0);
    child.kill("SIGKILL");
    await child.exited;
    expect([existsSync(asFolder), partial().length]).toEqual([false, 1]);
    expect((await backup(asFolder, "--without-secrets")).code).toBe(0);
    expect(partial()).toEqual([]);
    // Without its key, what is deployed cannot be started: that is said.
    const data = join(folder, "keyless");
    const put = await restore(asFolder, data);
    expect([put.code, put.stdout]).toEqual([0, expect.stringContaining("SECRETS_KEY")]);
    expect(existsSync(join(data, "secrets.key"))).toBe(false);
  },
);

testUnless(noFile)("a restore refuses what is in use, and what is damaged", async () => {
  const used = await restore(asFolder, berth.data);
  expect([used.code, used.stderr]).toEqual([1, expect.stringContaining("stop Berth")]);
  const taken = join(folder, "taken");
  mkdirSync(join(taken, "something"), { recursive: true });
  const other = await restore(asFolder, taken);
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("is not empty")]);
  appendFileSync(join(asFolder, "databases", "berth.db"), "x");
  const data = join(folder, "nothing");
  const damaged = await restore(asFolder, data);
  expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining("the backup is damaged")]);
  expect(existsSync(data)).toBe(false);
});

testUnless(noFile)("whoever watches is told what another process on the database does", async () => {
  const stop = new AbortController();
  const response = await fetch(`${berth.url}/v1/activity`, { headers, signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (event: string) => {
    while (!text.includes(`event: ${event}\n`)) text += (await reader?.read())?.value ?? "";
  };
  await read("ready");
  expect((await berthCommand(["keys", "create", "--data", berth.data])).code).toBe(0);
  await read("keys");
  stop.abort();
});
