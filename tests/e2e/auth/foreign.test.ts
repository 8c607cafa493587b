import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { startDeclared, type Walked } from "../access/walked-berth.ts";
import { until } from "../condition.ts";
import { ProtocolSocket } from "../protocol/protocol-socket.ts";
import { FOREIGN_REQUESTS, type NamedIds } from "./foreign-requests.ts";

/** Members of paths that name a resource of a user. */
const NAMES = /:(?:thread_id|run_id|assistant_id|cron_id)\b/;
/** Operations that would create the thread: `conflicts` has their answers. */
const CREATING = new Set(["POST /api/threads/:thread_id/state"]);

let berth: Walked;
let ada: NamedIds;
beforeAll(async () => {
  berth = await startDeclared({ project: join(import.meta.dir, "owners"), isKeyless: true });
  ada = await things();
}, TEST_LIMIT_MS);
afterAll(() => berth?.stop());

const call = (token: string, method: string, path: string, body?: unknown, signal?: AbortSignal) =>
  fetch(`${berth.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });

async function made(method: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const answer = await call("ada", method, path, body);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Record<string, string>;
}

/** One of each of Ada's, with a run that goes on. */
async function things(): Promise<NamedIds> {
  const { assistant_id = "" } = await made("POST", "/assistants", { graph_id: "agent", name: "hers" });
  const { thread_id = "" } = await made("POST", "/threads", {});
  const at = `/threads/${thread_id}`;
  await made("POST", `${at}/runs/wait`, { assistant_id, input: { said: "secret" } });
  const { run_id = "" } = await made("POST", `${at}/runs`, {
    assistant_id: "slow",
    input: { delay: 600_000 },
  });
  const { cron_id = "" } = await made("POST", "/runs/crons", { assistant_id, schedule: "0 0 1 1 *" });
  const state = (await made("GET", `${at}/state`)) as unknown as { checkpoint: { checkpoint_id: string } };
  const { checkpoint_id: checkpoint } = state.checkpoint;
  const item = { namespace: ["notes"], key: "one", value: { text: "secret" } };
  expect((await call("ada", "PUT", "/store/items", item)).status).toBe(204);
  return { thread: thread_id, run: run_id, assistant: assistant_id, cron: cron_id, checkpoint };
}

const missingIds = (): NamedIds => ({
  thread: crypto.randomUUID(),
  run: crypto.randomUUID(),
  assistant: crypto.randomUUID(),
  cron: crypto.randomUUID(),
  checkpoint: crypto.randomUUID(),
});

/** The whole answer, with names for the ids. */
async function shown(ids: NamedIds, answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
  let text = JSON.stringify([answer.status, headers.toSorted()]) + (await answer.text());
  for (const [name, id] of Object.entries(ids)) text = text.replaceAll(new RegExp(id, "gi"), `<${name}>`);
  return text;
}

/** What must not change of Ada's. */
async function standing(): Promise<string> {
  const paths = [
    `/assistants/${ada.assistant}`,
    `/threads/${ada.thread}`,
    `/threads/${ada.thread}/runs`,
    `/threads/${ada.thread}/history`,
    `/runs/crons/${ada.cron}`,
    `/api/threads/${ada.thread}/feedback`,
    "/store/items?namespace=notes&key=one",
  ];
  const answers = await Promise.all(paths.map(async (path) => (await call("ada", "GET", path)).text()));
  return answers.join("\n");
}

// Grace's handlers give a filter, Eve's refuse everything.
for (const token of ["grace", "eve"])
  test(
    `each operation answers ${token} for another user's resource byte by byte as for a missing one`,
    async () => {
      const before = await standing();
      for (const [operation, requests] of Object.entries(FOREIGN_REQUESTS)) {
        const [method = ""] = operation.split(" ");
        const none = missingIds();
        const missing = requests(none);
        for (const [at, foreign] of requests(ada).entries()) {
          const other = missing[at] ?? foreign;
          const [answer, expected] = await Promise.all([
            call(token, method, foreign.path, foreign.body).then((answer) => shown(ada, answer)),
            call(token, method, other.path, other.body).then((answer) => shown(none, answer)),
          ]);
          expect([operation, foreign.body, answer]).toEqual([operation, foreign.body, expected]);
          expect(answer).not.toContain("secret");
        }
      }
      expect(await standing()).toBe(before);
    },
    4 * TEST_LIMIT_MS,
  );

test("a socket on another user's thread replies as on a missing one", async () => {
  const replies = async (ids: NamedIds) => {
    const authorization = "Bearer grace";
    const socket = await ProtocolSocket.open(`${berth.url}/threads/${ids.thread}/stream/events`, {
      authorization,
    });
    const subscribed = await socket.command("subscription.subscribe", { channels: ["values", "lifecycle"] });
    const { subscription_id, ...rest } = subscribed.result as Record<string, unknown>;
    expect(subscription_id).toBeString();
    const others = [
      await socket.command("subscription.reconnect", { run_id: ids.run, subscriptions: [] }),
      await socket.command("state.get", {}),
    ];
    const { events, closed } = socket;
    socket.close();
    return JSON.stringify([rest, others, events, closed]).replaceAll(ids.thread, "<thread>");
  };
  expect(await replies(ada)).toBe(await replies(missingIds()));
});

test("the table has every operation that names a resource", () => {
  const named = berth.operations
    .filter(({ rule, path }) => rule !== null && NAMES.test(path))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((operation) => !CREATING.has(operation));
  expect(named.filter((operation) => !(operation in FOREIGN_REQUESTS))).toEqual([]);
});

test("an item of another user is answered as a missing one", async () => {
  const at = (key: string) => `/store/items?namespace=notes&key=${key}`;
  const got = await Promise.all(
    ["one", "none"].map(async (key) => (await call("grace", "GET", at(key))).text()),
  );
  expect(got).toEqual(["null", "null"]);
  const removed = await Promise.all(
    ["one", "none"].map((key) => call("grace", "DELETE", "/store/items", { namespace: ["notes"], key })),
  );
  expect(removed.map(({ status }) => status)).toEqual([204, 204]);
  expect(await (await call("ada", "GET", at("one"))).json()).toMatchObject({ value: { text: "secret" } });
  const put = await call("grace", "PUT", "/store/items", { namespace: ["notes"], key: "one", value: {} });
  expect([put.status, await put.json()]).toEqual([404, { detail: "Item not found" }]);
});

test("what would create a thread with another user's id says nothing of that thread", async () => {
  const none = missingIds();
  const start = (method: string, params: object) => ({ id: 1, method, params });
  const run = { assistant_id: "_", input: { said: "no" } };
  for (const base of ["/threads", "/api/threads"]) {
    const commands = (ids: NamedIds, body: unknown) =>
      call("grace", "POST", `${base}/${ids.thread}/commands`, body).then((answer) => shown(ids, answer));
    const fork = start("state.fork", { checkpoint_id: "1" });
    expect(await commands(ada, start("run.start", run))).toBe(await commands(none, fork));
  }
  const runs = (ids: NamedIds, if_not_exists: string) =>
    call("grace", "POST", `/threads/${ids.thread}/runs`, { assistant_id: "agent", if_not_exists }).then(
      (answer) => shown(ids, answer),
    );
  expect(await runs(ada, "create")).toBe(await runs(none, "reject"));
  const bootstrap = await call("grace", "POST", `/api/threads/${ada.thread}/state`, {
    values: { said: "no" },
  });
  expect([bootstrap.status, await bootstrap.text()]).toEqual([404, expect.not.stringContaining("secret")]);
  for (const if_exists of ["raise", "do_nothing"]) {
    const answer = await call("grace", "POST", "/threads", { thread_id: ada.thread, if_exists });
    expect([answer.status, await answer.json()]).toEqual([409, { detail: "Thread already exists" }]);
    const assistant = { assistant_id: ada.assistant, graph_id: "agent", if_exists };
    const taken = await call("grace", "POST", "/assistants", assistant);
    expect([taken.status, await taken.json()]).toEqual([409, { detail: "Assistant already exists" }]);
  }
});

test("a stream of another user's thread waits without events, as for a missing one", async () => {
  const { thread_id } = await made("POST", "/threads", {});
  const gone = new AbortController();
  const heard: Record<string, string> = { ada: "", grace: "" };
  const follow = async (token: string, path: string) => {
    const answer = await call(token, "POST", path, { channels: ["values", "lifecycle"] }, gone.signal);
    expect(answer.status).toBe(200);
    const text = new TextDecoder();
    for await (const bytes of answer.body ?? []) heard[token] += text.decode(bytes, { stream: true });
  };
  const streams = ["/threads", "/api/threads"].flatMap((base) =>
    ["ada", "grace"].map((token) => follow(token, `${base}/${thread_id}/stream/events`).catch(() => "left")),
  );
  const later = crypto.randomUUID();
  streams.push(follow("grace", `/threads/${later}/stream/events`).catch(() => "left"));
  const start = { id: 1, method: "run.start", params: { assistant_id: "agent", input: { said: "secret" } } };
  await call("ada", "POST", `/threads/${later}/commands`, start);
  await call("ada", "POST", `/threads/${thread_id}/commands`, start);
  await until("Ada's stream has the end of the run", async () => /"completed"/.test(heard.ada ?? ""));
  expect(heard.grace).not.toContain("data:");
  gone.abort();
  expect(await Promise.all(streams)).toEqual(streams.map(() => "left"));
});
