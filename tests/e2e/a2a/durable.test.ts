import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { TaskState } from "@a2a-js/sdk";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { all, answer, connect, saying, send, states, told } from "./a2a-client.ts";

const KEY = "the-service-key-of-this-test";
const byId = (id: string) => ({ tenant: "", id });
// A dead process's runs are taken over when their lease is over.
const env = { RUN_LEASE_MS: "1000" };
const project = join(import.meta.dir, "project");

let berth: BerthProcess | undefined;
afterEach(async () => {
  await berth?.stop();
  berth = undefined;
});

test("tasks survive a power cut: one goes on, one still asks, one is as it was", async () => {
  berth = await start({ project, env });
  const before = await connect(berth.url, "steered", "1.0");
  const done = await send(before, saying("hi", { id: "tck-complete-task-1" }));
  const asked = await send(before, saying("begin"));
  const stream = before.sendMessageStream(saying("go", { id: "test-resubscribe-message-id" }));
  const payload = (await stream.next()).value?.payload;
  const running = payload?.$case === "task" ? payload.value : undefined;
  const rest = all(stream).catch(() => []);
  await berth.kill9();
  await rest;

  berth = await berth.restartOnSameData();
  const after = await connect(berth.url, "steered", "1.0");
  expect(await after.getTask(byId(done.id))).toEqual(done);
  expect(await after.getTask(byId(asked.id))).toEqual(asked);
  const followed = await all(after.resubscribeTask(byId(String(running?.id))));
  expect(followed.map(told).slice(-2)).toEqual(["=Done at last.", "completed"]);
  const answered = await send(after, saying("now", { task: asked.id }));
  expect([answered.id, answer(answered)]).toEqual([asked.id, ["You said: now"]]);
  const { tasks } = await after.listTasks({
    tenant: "",
    contextId: "",
    status: TaskState.TASK_STATE_COMPLETED,
    pageToken: "",
    statusTimestampAfter: undefined,
  });
  expect(tasks.map(({ id }) => id).sort()).toEqual([done.id, asked.id, String(running?.id)].sort());
});

test("a task is told by its thread also when the log of its run is gone", async () => {
  berth = await start({ project, env: { RESUMABLE_STREAM_TTL_SECONDS: "1" } });
  const { url } = berth;
  const client = await connect(url, "steered", "1.0");
  const failed = await send(client, saying("hi", { id: "tck-reject-task-1" }));
  const reason = failed.status?.message?.parts;
  expect(reason).toMatchObject([{ content: { value: "Task rejected" } }]);
  // The later of the two: when its log is gone, so is the other one's.
  const task = await send(client, saying("hi", { id: "tck-complete-task-1" }));
  const frames = async () => {
    const headers = { "last-event-id": "-1" };
    const response = await fetch(`${url}/threads/${task.contextId}/runs/${task.id}/stream`, { headers });
    return (await response.text()).includes("event: metadata");
  };
  await until("the log is swept", frames, (there) => !there);
  const later = await client.getTask(byId(task.id));
  expect([states(later), answer(later)]).toEqual([TaskState.TASK_STATE_COMPLETED, ["Hello from TCK"]]);
  expect((await client.getTask(byId(failed.id))).status?.message?.parts).toEqual(reason);
  const joined = await fetch(`${url}/threads/${failed.contextId}/runs/${failed.id}/join`);
  expect(await joined.json()).toEqual({ __error__: { error: "Error", message: "Task rejected" } });
});

test("with a key: nothing without it, and the card says how to send it, and where to", async () => {
  const probe = Bun.serve({ port: 0, fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  const named = `http://localhost:${port}`;
  berth = await start({ project, port, env: { SERVICE_API_KEY: KEY, PUBLIC_URL: named } });
  const agent = `http://127.0.0.1:${port}/a2a/steered`;
  const card = `${agent}/.well-known/agent-card.json`;
  expect((await fetch(card)).status).toBe(401);
  expect((await fetch(agent, { method: "POST" })).status).toBe(401);
  const told = await (await fetch(card, { headers: { "x-api-key": KEY } })).json();
  expect(told).toMatchObject({
    supportedInterfaces: [{ url: expect.stringContaining(`${named}/a2a/`) }, {}],
    securitySchemes: { apiKey: { apiKeySecurityScheme: { location: "header", name: "X-Api-Key" } } },
  });
});
