import { afterAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";
import { servedBerth } from "./served-berth.ts";

const SAID = "a-word-that-nobody-else-says";
const env = { ENGINE_INTERVAL: "0" };
const berth = servedBerth({ env });
let keeping: BerthProcess | undefined;
afterAll(() => keeping?.stop());

type Trace = { id: string; name: string; status: string; total_tokens: number };

async function call<T>(url: string, method: string, body?: unknown): Promise<T> {
  const answer = await fetch(url, {
    ...{ method, headers: { "content-type": "application/json" } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? (undefined as T) : answer.json();
}

/** A thread on which somebody said something, and the trace of that. */
async function talk(url: string, metadata = {}): Promise<{ thread: string; trace: string }> {
  const { thread_id: thread } = await call<{ thread_id: string }>(`${url}/threads`, "POST", { metadata });
  const input = { messages: [{ role: "human", content: SAID }] };
  await call(`${url}/threads/${thread}/runs/wait`, "POST", { assistant_id: "agent", input });
  const ended = await until(
    "the trace to be there",
    () => call<{ resources: Trace[] }>(`${url}/v1/traces?thread_id=${thread}`, "GET"),
    ({ resources }) => resources[0]?.status === "success",
  );
  const trace = ended.resources[0]?.id ?? "";
  expect(await whole(url, trace)).toContain(SAID);
  return { thread, trace };
}

const whole = async (url: string, trace: string) =>
  JSON.stringify(await call(`${url}/v1/traces/${trace}`, "GET"));

test("a thread that is deleted takes along what its traces say, at once", async () => {
  for (const path of ["/threads", "/api/threads"]) {
    const { thread, trace } = await talk(berth.url);
    await call(`${berth.url}${path}/${thread}`, "DELETE");
    const left = await whole(berth.url, trace);
    expect(left).not.toContain(SAID);
    expect(left).toContain("content_deleted");
  }
});

test("so do those that are pruned", async () => {
  const { thread, trace } = await talk(berth.url);
  await call(`${berth.url}/threads/prune`, "POST", { thread_ids: [thread], strategy: "delete" });
  await until(
    "its trace to say nothing",
    () => whole(berth.url, trace),
    (text) => !text.includes(SAID),
  );
});

test("what is kept of a thread, or of a user, can be handed out", async () => {
  const user = "ada@example.com";
  const metadata = { owner: user };
  const { thread, trace } = await talk(berth.url, metadata);
  const { thread: other } = await talk(berth.url, { owner: "bob@example.com" });
  await call(`${berth.url}/store/items`, "PUT", {
    namespace: ["users", "ada"],
    key: "k",
    value: { likes: "tea" },
  });
  const exported = async (...args: string[]) => {
    const { code, stdout, stderr } = await berthCommand(["export", ...args, "--data", berth.data]);
    return {
      code,
      stderr,
      lines: stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    };
  };
  const { code, lines } = await exported("--thread", thread);
  expect(code).toBe(0);
  const kinds = new Set(lines.map(({ kind }) => kind));
  for (const kind of ["thread", "state", "run", "checkpoint", "event", "trace"])
    expect(kinds).toContain(kind);
  const ofKind = (kind: string) => lines.filter((line) => line.kind === kind);
  for (const kind of ["state", "run", "trace"]) expect(JSON.stringify(ofKind(kind))).toContain(SAID);
  expect(ofKind("trace").map((line) => line.trace.id)).toEqual([trace]);
  const ofUser = await exported("--user", user);
  expect(ofUser.lines).toEqual(lines);
  expect(JSON.stringify(ofUser.lines)).not.toContain(other);
  expect((await exported("--user", "ada")).lines).toMatchObject([{ kind: "item", value: { likes: "tea" } }]);
  const nobody = await exported("--thread", crypto.randomUUID());
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("there is no data")]);
  expect((await exported()).code).toBe(1);
  const out = join(berth.data, "ada.jsonl");
  expect((await exported("--user", user, "--out", out)).code).toBe(0);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect((await exported("--user", user, "--out", out)).stderr).toContain("is there already");
});

test("a trace can be deleted", async () => {
  const { thread, trace } = await talk(berth.url);
  await call(`${berth.url}/v1/traces/${trace}`, "DELETE");
  expect((await fetch(`${berth.url}/v1/traces/${trace}`)).status).toBe(404);
  expect((await fetch(`${berth.url}/v1/traces/${trace}`, { method: "DELETE" })).status).toBe(404);
  // The conversation is another matter.
  expect(JSON.stringify(await call(`${berth.url}/threads/${thread}/state`, "GET"))).toContain(SAID);
});

test("with TRACES_OUTLIVE_THREADS they stay as they are", async () => {
  keeping = await start({ env: { ...env, TRACES_OUTLIVE_THREADS: "true" } });
  const { thread, trace } = await talk(keeping.url);
  await call(`${keeping.url}/threads/${thread}`, "DELETE");
  expect(await whole(keeping.url, trace)).toContain(SAID);
});
