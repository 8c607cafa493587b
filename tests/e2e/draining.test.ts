import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call, type Frame, readFrames } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";

const JSON_RPC = { jsonrpc: "2.0", id: 1 };
const SLOW = { assistant_id: "steps", input: { total: 2, pause: 60_000 } };

let berth: BerthProcess;
let thread_id: string;
let run_id: string;
let stopped: Promise<number> | undefined;
const tool: Frame[] = [];
let toolEnded: Promise<boolean>;

const callTool = { method: "tools/call", params: { name: "steps", arguments: SLOW.input } };
const sendMessage = {
  method: "message/send",
  params: {
    message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] },
  },
};
const status = async (method: string, path: string, body?: unknown) =>
  (await call(berth.url, method, path, body)).status;

beforeAll(async () => {
  berth = await start({ project: CRASH_PROJECT, env: { BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "20" } });
  ({ thread_id } = await ask<{ thread_id: string }>(berth.url, "POST", "/threads", {}));
  ({ run_id } = await ask<{ run_id: string }>(berth.url, "POST", `/threads/${thread_id}/runs`, SLOW));
  const answer = await fetch(`${berth.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ ...JSON_RPC, ...callTool }),
  });
  toolEnded = readFrames(answer, tool);
  expect(await status("GET", "/ok")).toBe(200);
  process.kill(berth.pid, "SIGTERM");
  await until("the process to say that it ends", async () => (await status("GET", "/ok")) === 503);
});

afterAll(async () => {
  stopped ??= berth.stop();
  await stopped;
});

test("a process that was told to end takes no run, and says when to come back", async () => {
  const run = { assistant_id: "steps", input: { total: 1 } };
  for (const [path, body] of [
    ...["/runs", "/runs/wait", "/runs/stream"].map((path) => [path, run] as const),
    ...["", "/wait", "/stream"].map((path) => [`/threads/${thread_id}/runs${path}`, run] as const),
    ["/runs/batch", [run]],
    ...["/threads", "/api/threads"].map(
      (base) =>
        [`${base}/${thread_id}/commands`, { id: 1, method: "run.start", params: { input: {} } }] as const,
    ),
    ["/mcp", { ...JSON_RPC, ...callTool }],
    ["/a2a/steps", { ...JSON_RPC, ...sendMessage }],
  ] as const) {
    const answer = await call(berth.url, "POST", path, body);
    expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "5"]);
    expect(answer.body).toMatchObject({ detail: "The server is stopping: try again" });
  }
  expect(await ask<unknown[]>(berth.url, "GET", `/threads/${thread_id}/runs`)).toHaveLength(1);
});

test("it still answers who reads and who cancels, and a tool's stream that it cuts does not end as if it were whole", async () => {
  expect(await status("GET", `/threads/${thread_id}/state`)).toBe(200);
  expect(await status("POST", "/threads/search", {})).toBe(200);
  expect(await status("POST", "/mcp", { ...JSON_RPC, method: "tools/list" })).toBe(200);
  const command = { id: 1, method: "state.get", params: {} };
  expect(await status("POST", `/threads/${thread_id}/commands`, command)).toBe(200);
  expect(await status("POST", `/threads/${thread_id}/runs/${run_id}/cancel?wait=1`)).toBe(204);
  // The second time it ends at once.
  stopped = berth.stop();
  // Signals within a second of the first are the same one.
  const again = setInterval(() => {
    try {
      process.kill(berth.pid, "SIGTERM");
    } catch {
      // It has ended.
      clearInterval(again);
    }
  }, 100);
  expect(await toolEnded.finally(() => clearInterval(again))).toBe(false);
  expect(tool).toEqual([]);
});
