import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { until } from "../condition.ts";
import { type ClientClass, forEachSdk } from "../sdk.ts";
import { servedBerth } from "../served-berth.ts";

const PROJECT = join(import.meta.dir, "project");
const berth = servedBerth({ project: PROJECT });

const as = (Client: ClientClass, token: string) =>
  new Client({
    apiUrl: berth.url,
    defaultHeaders: { authorization: `Bearer ${token}` },
    callerOptions: { maxRetries: 0 },
  });

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "went through",
    (error: Error) => error.message.slice(0, 8),
  );

forEachSdk((Client) => {
  test("whoever has no good token is refused with the words and headers of the project", async () => {
    expect(await refusal(as(Client, "nobody").threads.search())).toBe("HTTP 401");
    const answer = await fetch(`${berth.url}/threads/search`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer realm=test");
    expect(await answer.json()).toEqual({ detail: "Who are you?" });
  });

  test("a thread is its creator's: others neither read, change, copy nor find it", async () => {
    const [ada, grace] = [as(Client, "ada"), as(Client, "grace")];
    const thread = await ada.threads.create({ metadata: { topic: "ships" } });
    const id = thread.thread_id;
    expect(thread.metadata).toEqual({ topic: "ships", owner: "ada" });
    await ada.runs.wait(id, "who", { input: { said: "hello" } });
    expect((await ada.threads.getState(id)).values).toEqual({
      said: "hello",
      user: { id: "ada", team: "navy", permissions: ["write"] },
    });
    const foreign: Promise<unknown>[] = [
      grace.threads.get(id),
      grace.threads.update(id, { metadata: { topic: "mine" } }),
      grace.threads.getState(id),
      grace.threads.getHistory(id),
      grace.threads.updateState(id, { values: { said: "no" } }),
      grace.runs.list(id),
      grace.runs.create(id, "who", { input: {} }),
      grace.runs.wait(id, "who", { input: {} }),
    ];
    expect(await Promise.all(foreign.map(refusal))).toEqual(foreign.map(() => "HTTP 404"));
    const whole = (work: Promise<unknown>) => work.catch((error: Error) => error.message);
    const unknown = crypto.randomUUID();
    const copied = String(await whole(grace.threads.copy(id)));
    expect(copied).toStartWith("HTTP 409");
    expect(copied.replaceAll(id, unknown)).toBe(String(await whole(grace.threads.copy(unknown))));
    expect(await refusal(grace.threads.create({ threadId: id, ifExists: "do_nothing" }))).toBe("HTTP 409");
    expect(await refusal(ada.threads.delete(id))).toBe("HTTP 403");
    const found = await grace.threads.search({ limit: 1_000 });
    expect(found.filter((one) => one.thread_id === id)).toEqual([]);
    const own = await ada.threads.search({ limit: 1_000, metadata: { topic: "ships" } });
    expect(own.map((one) => one.thread_id)).toContain(id);
    expect(new Set(own.map((one) => one.metadata?.owner))).toEqual(new Set(["ada"]));
    expect(await ada.threads.getHistory(id)).not.toEqual([]);
    const shown = JSON.stringify(await ada.threads.getHistory(id));
    expect(shown).not.toContain("langgraph_auth");
  });

  test("a run that creates its thread makes it its starter's, and its run is nobody else's", async () => {
    const [ada, grace] = [as(Client, "ada"), as(Client, "grace")];
    const id = crypto.randomUUID();
    const run = await ada.runs.create(id, "slow", { input: { delay: 50 }, ifNotExists: "create" });
    expect((await ada.threads.get(id)).metadata?.owner).toBe("ada");
    expect(JSON.stringify(run)).not.toContain("langgraph_auth");
    const foreign = [
      grace.runs.get(id, run.run_id),
      grace.runs.join(id, run.run_id),
      grace.runs.cancel(id, run.run_id),
      grace.runs.delete(id, run.run_id),
    ];
    expect((await Promise.all(foreign.map(refusal))).slice(0, 3)).toEqual([
      "HTTP 404",
      "HTTP 404",
      "HTTP 404",
    ]);
    await until("the run ends", async () => (await ada.runs.get(id, run.run_id)).status === "success");
  });

  test("what a handler refuses is a 403 with its words", async () => {
    const eve = as(Client, "eve");
    const thread = await eve.threads.create();
    const refused = eve.runs.wait(thread.thread_id, "who", { input: {} });
    await expect(refused).rejects.toThrow("You may look, not run");
  });

  test("nobody speaks for somebody else through configurable", async () => {
    const config = {
      configurable: { langgraph_auth_user_id: "grace", langgraph_auth_user: { team: "all" } },
    };
    const ada = as(Client, "ada");
    expect(await ada.runs.wait(null, "who", { input: {}, config })).toMatchObject({
      user: { id: "ada", team: "navy" },
    });
    const thread = await ada.threads.create();
    await ada.runs.wait(thread.thread_id, "who", { input: {} });
    const [head] = await ada.threads.getHistory(thread.thread_id);
    const checkpoint = { ...head?.checkpoint, langgraph_auth_user_id: "grace" };
    const forked = await ada.runs.wait(thread.thread_id, "who", {
      input: {},
      // @ts-expect-error a checkpoint has no such member
      checkpoint,
    });
    expect(forked).toMatchObject({ user: { id: "ada" } });
    expect(JSON.stringify(await ada.threads.get(thread.thread_id))).not.toContain("langgraph_auth");
  });

  test("assistants and store items are their owners'", async () => {
    const [ada, grace] = [as(Client, "ada"), as(Client, "grace")];
    const made = await ada.assistants.create({ graphId: "who", name: `Ada's ${crypto.randomUUID()}` });
    expect(made.metadata).toMatchObject({ owner: "ada" });
    expect(await refusal(grace.assistants.get(made.assistant_id))).toBe("HTTP 404");
    expect(await refusal(grace.runs.wait(null, made.assistant_id, { input: {} }))).toBe("HTTP 404");
    expect(await ada.runs.wait(null, made.assistant_id, { input: {} })).toBeDefined();
    const lent = await grace.threads.create({ metadata: { assistant_id: made.assistant_id } });
    const borrowed = await fetch(`${berth.url}/api/threads/${lent.thread_id}/commands`, {
      method: "POST",
      headers: { authorization: "Bearer grace", "content-type": "application/json" },
      body: JSON.stringify({ id: 1, method: "run.start", params: { assistant_id: "_", input: {} } }),
    });
    expect(await borrowed.json()).toMatchObject({ type: "error" });
    const seen = await grace.assistants.search({ limit: 1_000 });
    expect(seen.filter((one) => one.assistant_id === made.assistant_id)).toEqual([]);
    await ada.store.putItem(["notes"], "first", { text: "of ada" });
    await grace.store.putItem(["notes"], "first", { text: "of grace" });
    expect((await ada.store.getItem(["notes"], "first"))?.value).toEqual({ text: "of ada" });
    const { items } = await grace.store.searchItems(["notes"]);
    expect(items.map(({ value }) => value.text)).toEqual(["of grace"]);
  });

  test("a cron is its creator's, and runs as its creator", async () => {
    const [ada, grace] = [as(Client, "ada"), as(Client, "grace")];
    const thread = await ada.threads.create();
    const made = (await ada.crons.createForThread(thread.thread_id, "who", {
      schedule: "0 0 1 1 *",
      input: {},
    })) as { cron_id: string };
    const own = await ada.crons.search({ threadId: thread.thread_id });
    expect(own.map(({ cron_id }) => cron_id)).toEqual([made.cron_id]);
    expect(await grace.crons.search({ threadId: thread.thread_id })).toEqual([]);
    expect(await refusal(grace.crons.delete(made.cron_id))).toBe("HTTP 404");
    expect(
      await refusal(grace.crons.createForThread(thread.thread_id, "who", { schedule: "* * * * *" })),
    ).toBe("HTTP 404");
    await ada.crons.delete(made.cron_id);
  });
});

describe("besides the official clients", () => {
  const call = (token: string, path: string, body?: unknown, method = body ? "POST" : "GET") =>
    fetch(`${berth.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  test("commands, event streams and the app's list of threads heed the owner", async () => {
    const id = crypto.randomUUID();
    const start = { id: 1, method: "run.start", params: { assistant_id: "who", input: { said: "hi" } } };
    const started = await (await call("ada", `/threads/${id}/commands`, start)).json();
    expect(started).toMatchObject({ type: "success" });
    const get = { id: 2, method: "state.get", params: {} };
    for (const door of ["/threads", "/api/threads"]) {
      const foreign = await (await call("grace", `${door}/${id}/commands`, get)).json();
      expect(foreign).toMatchObject({ type: "error", error: "no_such_run" });
      const again = await (await call("grace", `${door}/${id}/commands`, start)).json();
      expect(again).toMatchObject({ type: "error", error: "no_such_run" });
    }
    const denied = await (await call("eve", `/threads/${crypto.randomUUID()}/commands`, start)).json();
    expect(denied).toMatchObject({
      type: "error",
      error: "permission_denied",
      message: "You may look, not run",
    });
    const message = { role: "user", content: "and another thing" };
    const inject = { id: 3, method: "input.inject", params: { message } };
    const hers: { thread_id: string } = await (await call("eve", "/threads", {})).json();
    const injected = await (await call("eve", `/threads/${hers.thread_id}/commands`, inject)).json();
    expect(injected).toMatchObject({ error: "permission_denied", message: "You may look, not run" });
    const listed = async (token: string) => {
      const list: { id: string }[] = await (await call(token, "/api/threads")).json();
      return list.map((thread) => thread.id);
    };
    await until("the thread is listed", async () => (await listed("ada")).includes(id));
    expect(await listed("grace")).not.toContain(id);
    expect((await call("grace", `/api/threads/${id}/state`)).status).toBe(404);
  });

  test("the chat offers the graphs' own assistants and those that are the caller's", async () => {
    const made = await call("grace", "/assistants", { graph_id: "who", name: "hers" });
    const { assistant_id }: { assistant_id: string } = await made.json();
    const offered = async (token: string) => {
      const list: { name: string }[] = await (await call(token, "/api/assistants")).json();
      return list.map(({ name }) => name);
    };
    expect(await offered("grace")).toEqual(expect.arrayContaining(["who", "hers"]));
    expect(await offered("ada")).toContain("who");
    expect(await offered("ada")).not.toContain("hers");
    const nobody = await call("nobody", "/api/assistants");
    expect(nobody.status).toBe(401);
    await call("grace", `/assistants/${assistant_id}`, undefined, "DELETE");
  });

  test("a WebSocket on another user's thread opens as on a missing one; an unknown token is refused", async () => {
    const thread: { thread_id: string } = await (await call("ada", "/threads", {})).json();
    const knock = (token: string) =>
      fetch(`${berth.url}/threads/${thread.thread_id}/stream/events`, {
        headers: {
          authorization: `Bearer ${token}`,
          connection: "upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        },
      });
    expect((await knock("grace")).status).toBe(101);
    expect((await knock("nobody")).status).toBe(401);
  });

  test("tasks and tools run as the caller, and tasks are the caller's", async () => {
    const message = {
      messageId: crypto.randomUUID(),
      role: "user",
      parts: [{ kind: "data", data: { said: "a2a" } }],
    };
    const send = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } };
    const sent = (await (await call("ada", "/a2a/who", send)).json()) as { result: { id: string } };
    expect(JSON.stringify(sent)).toContain("navy");
    const get = { jsonrpc: "2.0", id: 2, method: "tasks/get", params: { id: sent.result.id } };
    expect(await (await call("ada", "/a2a/who", get)).json()).toHaveProperty("result.id", sent.result.id);
    expect(await (await call("grace", "/a2a/who", get)).json()).toHaveProperty("error.code", -32_001);
    const tool = { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "who", arguments: {} } };
    const mcp = (token: string) =>
      fetch(`${berth.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(tool),
      }).then((answer) => answer.text());
    expect(await mcp("ada")).toContain("navy");
    expect(await mcp("eve")).toContain("You may look, not run");
  });

  test("what a handler is told of a run is the same through every door, its id too", async () => {
    const thread: { thread_id: string } = await (await call("ada", "/threads", {})).json();
    const at = `/threads/${thread.thread_id}`;
    const said = (text: string) => ({ assistant_id: "who", input: { said: text } });
    const command = (text: string) => ({ id: 1, method: "run.start", params: said(text) });
    const parts = (text: string) => [{ kind: "data", data: { said: text } }];
    const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
    const message = (text: string) => ({ messageId: "m", role: "user", parts: parts(text) });
    type Run = { run_id: string; metadata: object };
    const run = async (id: string): Promise<Run> => (await call("ada", `/runs/${id}`)).json();
    const doors: [
      path: string,
      ask: (text: string) => unknown,
      run: (answer: string) => Run | Promise<Run>,
    ][] = [
      [`${at}/runs`, said, (answer) => JSON.parse(answer)],
      ["/runs/batch", (text) => [said(text)], (answer) => JSON.parse(answer)[0]],
      [`${at}/commands`, command, (answer) => run(JSON.parse(answer).result.run_id)],
      [
        "/a2a/who",
        (text) => rpc("message/send", { message: message(text) }),
        (answer) => run(JSON.parse(answer).result.id),
      ],
    ];
    for (const [path, ask, runOf] of doors) {
      const { run_id, metadata } = await runOf(await (await call("ada", path, ask("hello"))).text());
      expect([path, metadata]).toMatchObject([path, { told: { run_id, said: "hello" } }]);
      expect([path, await (await call("ada", path, ask("a curse"))).text()]).toEqual([
        path,
        expect.stringContaining("Not in these words"),
      ]);
    }
    const accept = "application/json, text/event-stream";
    const headers = { authorization: "Bearer ada", "content-type": "application/json", accept };
    const body = JSON.stringify(rpc("tools/call", { name: "who", arguments: { said: "a curse" } }));
    const cursed = await fetch(`${berth.url}/mcp`, { method: "POST", headers, body });
    expect(await cursed.text()).toContain("Not in these words");
  });

  test("a tool is a graph's or one's own, whatever its metadata say of who made it", async () => {
    const name = `tool_${crypto.randomUUID().slice(0, 8)}`;
    const forged = { graph_id: "who", name, description: "Obey", metadata: { created_by: "system" } };
    expect((await call("grace", "/assistants", forged)).status).toBe(200);
    const accept = "application/json, text/event-stream";
    const list = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      return (await fetch(`${berth.url}/mcp`, { method: "POST", headers, body })).text();
    };
    for (const graph of ["who", "slow"]) expect(await list("ada")).toContain(`"name":"${graph}"`);
    expect(await list("ada")).not.toContain(name);
    expect(await list("grace")).toContain(name);
  });

  test("a person signs in with a token, and the page's requests are theirs", async () => {
    expect(await (await fetch(`${berth.url}/api/session`)).json()).toMatchObject({
      required: true,
      signed_in: false,
      asks_for: "token",
    });
    expect((await fetch(berth.url)).status).toBe(200);
    const signIn = (api_key: string) =>
      fetch(`${berth.url}/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ api_key }),
      });
    expect((await signIn("nobody")).status).toBe(401);
    const cookie = (await signIn("ada")).headers.get("set-cookie")?.split(";")[0] ?? "";
    const page = { cookie, "sec-fetch-site": "same-origin" };
    const session = await (await fetch(`${berth.url}/api/session`, { headers: page })).json();
    expect(session).toMatchObject({ required: true, signed_in: true });
    const made = await fetch(`${berth.url}/threads`, {
      method: "POST",
      headers: { ...page, "content-type": "application/json" },
      body: "{}",
    });
    expect(await made.json()).toMatchObject({ metadata: { owner: "ada" } });
    const socket = await fetch(`${berth.url}/api/threads/${crypto.randomUUID()}/stream/events`, {
      headers: {
        cookie,
        origin: berth.url,
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
      signal: AbortSignal.timeout(WAIT_LIMIT_MS),
    });
    expect(socket.status).toBe(101);
    const elsewhere = { cookie, "sec-fetch-site": "cross-site" };
    expect((await fetch(`${berth.url}/api/threads`, { headers: elsewhere })).status).toBe(403);
    const own = { cookie: "harbour=grace" };
    expect(await (await fetch(`${berth.url}/api/session`, { headers: own })).json()).toMatchObject({
      signed_in: true,
    });
  });

  test("the Studio's header counts on this machine, and not from elsewhere", async () => {
    const studio = (headers: Record<string, string>) =>
      fetch(`${berth.url}/threads/search`, {
        method: "POST",
        headers: { "x-auth-scheme": "langsmith", "content-type": "application/json", ...headers },
        body: "{}",
      });
    expect((await studio({})).status).toBe(200);
    expect((await studio({ origin: "https://evil.example" })).status).toBe(401);
    expect((await studio({ host: "evil.example" })).status).toBe(401);
  });
});
