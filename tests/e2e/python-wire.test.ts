import { beforeAll, describe, expect, test } from "bun:test";
import { quickest } from "../limits.ts";
import { until } from "./condition.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

// What the Python client sends and reads (agent-server.md §1), without the Python client.
const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

type Call = { method?: string; json?: unknown; body?: string; headers?: Record<string, string> };
type Ids = { thread_id: string; run_id: string };

function call(path: string, { method, json, body = JSON.stringify(json), headers }: Call = {}) {
  const type = json === undefined ? undefined : { "content-type": "application/json" };
  return fetch(`${berth.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    ...(body !== undefined && { body }),
    headers: { "user-agent": "langgraph-sdk-py/0.4.5", ...type, ...headers },
    redirect: "manual",
  });
}

async function answer<T>(path: string, options?: Call): Promise<T> {
  const response = await call(path, options);
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const newThread = async (metadata = {}) =>
  (await answer<Ids>("/threads", { json: { metadata, if_exists: "raise" } })).thread_id;
const background = (thread_id: string, json: object) => answer<Ids>(`/threads/${thread_id}/runs`, { json });

/** The event names of a stream's text. */
const namesIn = (text: string) => [...text.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);

describe("query", () => {
  let thread: string;
  let run: string;

  beforeAll(async () => {
    thread = await newThread();
    const streamed = { assistant_id: "agent", input, stream_mode: ["values", "updates", "custom"] };
    run = (await background(thread, { ...streamed, stream_resumable: true })).run_id;
    await answer(`/threads/${thread}/runs/${run}/join?cancel_on_disconnect=false`);
  });

  const stream = async (query: string) => {
    const headers = { accept: "text/event-stream", "cache-control": "no-store", "last-event-id": "-1" };
    const response = await call(`/threads/${thread}/runs/${run}/stream?${query}`, { headers });
    expect(response.status).toBe(200);
    return new Set(namesIn(await response.text()));
  };

  test("stream_mode: repeated, as one, as JSON, empty and absent", async () => {
    const both = new Set(["metadata", "values", "updates"]);
    expect(await stream("stream_mode=values&stream_mode=updates")).toEqual(both);
    expect(await stream(`stream_mode=${encodeURIComponent('["values","updates"]')}`)).toEqual(both);
    expect(await stream("stream_mode=updates")).toEqual(new Set(["metadata", "updates"]));
    expect(await stream("stream_mode=&cancel_on_disconnect=")).toEqual(both);
    expect(await stream("cancel_on_disconnect=false")).toEqual(both);
    expect(await stream("cancel_on_disconnect=0")).toEqual(both);
  });

  test("lists of runs: select repeated and as JSON; empty values are absent", async () => {
    const list = (query: string) => answer<object[]>(`/threads/${thread}/runs?${query}`);
    const selected = [{ run_id: run, status: "success" }];
    expect(await list("limit=10&offset=0&select=run_id&select=status")).toEqual(selected);
    expect(await list(`select=${encodeURIComponent('["run_id","status"]')}`)).toEqual(selected);
    expect(await list("limit=10&offset=0&status=&select=")).toHaveLength(1);
    expect(await list("status=pending")).toEqual([]);
  });

  test("booleans: words, digits and nothing", async () => {
    for (const value of ["true", "false", "1", "0", ""]) {
      const state = await answer<{ next: string[] }>(`/threads/${thread}/state?subgraphs=${value}`);
      expect(state.next).toEqual([]);
    }
    const response = await call(`/threads/${thread}/state?subgraphs=perhaps`);
    expect(response.status).toBe(422);
  });

  test("include, comma-joined", async () => {
    expect(await answer(`/threads/${thread}?include=ttl`)).toMatchObject({ thread_id: thread });
    expect(await answer(`/threads/${thread}?include=ttl,other`)).toMatchObject({ thread_id: thread });
  });

  test("history: a limit and a checkpoint in the query; a checkpoint in the body", async () => {
    type Entry = { checkpoint: { checkpoint_id: string } };
    const path = `/threads/${thread}/history`;
    const all = await answer<Entry[]>(`${path}?limit=10&before=`);
    const { checkpoint } = present(all[1]);
    expect(await answer<Entry[]>(`${path}?limit=2&before=${checkpoint.checkpoint_id}`)).toEqual(
      all.slice(2, 4),
    );
    expect(await answer<Entry[]>(path, { json: { limit: 10, before: checkpoint } })).toEqual(all.slice(2));
    const before = { configurable: checkpoint };
    expect(await answer<Entry[]>(path, { json: { limit: 10, before } })).toEqual(all.slice(2));
    const at = await answer<Entry>(`/threads/${thread}/state/checkpoint`, {
      json: { checkpoint, subgraphs: false },
    });
    expect(at).toEqual(present(all[1]));
  });

  test("store: a namespace joined by dots or repeated", async () => {
    const item = { namespace: ["py", run], key: "k", value: { a: 1 }, index: null, ttl: null };
    expect((await call("/store/items", { method: "PUT", json: item })).status).toBe(204);
    const joined = await answer(`/store/items?key=k&namespace=py.${run}`);
    expect(joined).toMatchObject({ namespace: ["py", run], value: { a: 1 } });
    expect(await answer(`/store/items?key=k&namespace=py&namespace=${run}`)).toEqual(joined);
    expect(await answer(`/store/items?key=k&namespace=py.${run}&refresh_ttl=true`)).toEqual(joined);
    expect(await answer<null>(`/store/items?key=none&namespace=py.${run}`)).toBeNull();

    const deleted = { namespace: ["py", run], key: "k" };
    expect((await call("/store/items", { method: "DELETE", json: deleted })).status).toBe(204);
    expect(await answer<null>(`/store/items?key=k&namespace=py.${run}`)).toBeNull();
  });
});

describe("cancel", () => {
  const running = async () => {
    const thread = await newThread();
    const delayed = { assistant_id: "delay", input: { ...input, delay: 86_400_000 } };
    const { run_id } = await background(thread, delayed);
    const path = `/threads/${thread}/runs/${run_id}`;
    await until(
      "the run runs",
      () => answer<{ status: string }>(path),
      ({ status }) => status === "running",
    );
    return path;
  };
  // No body and no content type, as httpx sends a POST without JSON.
  const cancel = (path: string, query: string) => call(`${path}/cancel?${query}`, { method: "POST" });

  for (const value of ["1", "true"])
    test(`wait=${value} answers when it is over`, async () => {
      const path = await running();
      const response = await cancel(path, `wait=${value}&action=interrupt`);
      expect([response.status, await response.text()]).toEqual([204, ""]);
      expect(await answer(path)).toMatchObject({ status: "interrupted" });
    });

  for (const value of ["0", "false", ""])
    test(`wait=${value} answers at once`, async () => {
      const path = await running();
      const response = await cancel(path, `wait=${value}&action=interrupt`);
      expect([response.status, await response.text()]).toEqual([202, ""]);
      const now = () => answer<{ status: string }>(path);
      await until("the run is cancelled", now, ({ status }) => status === "interrupted");
    });
});

describe("headers", () => {
  test("Prefer: return=minimal answers a change without a body", async () => {
    const thread = await newThread();
    const change = { method: "PATCH", json: { metadata: { changed: true } } };
    const response = await call(`/threads/${thread}`, { ...change, headers: { prefer: "return=minimal" } });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    const whole = await call(`/threads/${thread}`, { ...change, json: { metadata: { more: true } } });
    expect(whole.status).toBe(200);
    expect(await whole.json()).toMatchObject({ metadata: { changed: true, more: true } });
  });

  test("X-Pagination: the total, and the next offset while there is more", async () => {
    const metadata = { mark: crypto.randomUUID() };
    for (let index = 0; index < 5; index += 1) {
      await newThread(metadata);
      await answer("/assistants", { json: { graph_id: "agent", metadata } });
    }
    for (const path of ["/threads/search", "/assistants/search"]) {
      const page = async (limit: number, offset: number) => {
        const response = await call(path, { json: { metadata, limit, offset } });
        const { length } = (await response.json()) as unknown[];
        const header = (name: string) => response.headers.get(`x-pagination-${name}`);
        return [length, header("total"), header("next")];
      };
      expect(await page(2, 0)).toEqual([2, "5", "2"]);
      expect(await page(2, 2)).toEqual([2, "5", "4"]);
      expect(await page(2, 4)).toEqual([1, "5", null]);
      expect(await page(5, 0)).toEqual([5, "5", null]);
      expect(await page(5, 9)).toEqual([0, "5", null]);
    }
  });

  test("Content-Location ends in the run's id; Location is a path to come back to", async () => {
    const thread = await newThread();
    const json = { assistant_id: "agent", input };
    const onThread = `/threads/${thread}/runs/${UUID}`;
    for (const [path, content, location] of [
      [`/threads/${thread}/runs`, onThread, undefined],
      [`/threads/${thread}/runs/stream`, onThread, `${onThread}/stream`],
      [`/threads/${thread}/runs/wait`, onThread, `${onThread}/join`],
      ["/runs", `/runs/${UUID}`, undefined],
      ["/runs/stream", `/runs/${UUID}`, `/runs/${UUID}/stream`],
      ["/runs/wait", `/runs/${UUID}`, `/runs/${UUID}/join`],
    ] as const) {
      const response = await call(path, { json });
      expect(response.headers.get("content-location")).toMatch(new RegExp(`^${content}$`));
      if (location) expect(response.headers.get("location")).toMatch(new RegExp(`^${location}$`));
      expect(response.headers.get("x-request-id")).toBeString();
      await response.text();
    }
  });

  test("Location leads to the same result and the same events", async () => {
    const thread = await newThread();
    const json = { assistant_id: "agent", input, stream_resumable: true };
    const streamed = await call(`/threads/${thread}/runs/stream`, { json });
    const text = await streamed.text();
    const again = await call(present(streamed.headers.get("location")), {
      headers: { "last-event-id": "-1" },
    });
    expect(framesIn(await again.text())).toEqual(framesIn(text));
    const waited = await call(`/threads/${thread}/runs/wait`, { json });
    const values = await waited.json();
    expect(await answer(present(waited.headers.get("location")))).toEqual(values);
  });
});

const framesIn = (text: string) =>
  text
    .replaceAll(/^:.*\n/gm, "")
    .split("\n\n")
    .filter(Boolean);

describe("the stream of a thread", () => {
  /** So many frames behind `from`: states are read as they stand, also those after an earlier run. */
  const read = async (thread: string, from: string, count: number) => {
    const leaving = new AbortController();
    const { body } = await fetch(
      `${berth.url}/threads/${thread}/stream?stream_modes=lifecycle&stream_modes=state_update`,
      { headers: { accept: "text/event-stream", "last-event-id": from }, signal: leaving.signal },
    );
    const decoder = new TextDecoder();
    let text = "";
    let frames: string[] = [];
    for await (const piece of body ?? []) {
      text += decoder.decode(piece, { stream: true });
      const end = text.lastIndexOf("\n\n");
      // Before the first frame there may be a comment.
      frames = end === -1 ? [] : framesIn(text.slice(0, end + 2));
      if (frames.length >= count) break;
    }
    leaving.abort();
    return frames.map((frame) => ({
      id: /^id: (.+)$/m.exec(frame)?.[1] ?? "",
      event: /^event: (.+)$/m.exec(frame)?.[1],
      data: JSON.parse(/^data: (.+)$/m.exec(frame)?.[1] ?? "null"),
    }));
  };

  test("lifecycle and state_update: when runs begin and end, the state after each, resumed behind any of them", async () => {
    const thread = await newThread();
    const runs: string[] = [];
    for (const text of ["one", "two"]) {
      const json = { assistant_id: "agent", input: { messages: [{ role: "human", content: text }] } };
      const { run_id } = await background(thread, json);
      await answer(`/threads/${thread}/runs/${run_id}/join`);
      runs.push(run_id);
    }
    const whole = await read(thread, "-", 6);
    expect(
      whole.map(({ event, data }) => (event === "lifecycle" ? [data.event, data.run_id] : event)),
    ).toEqual([
      ["started", runs[0]],
      ["ended", runs[0]],
      "state_update",
      ["started", runs[1]],
      ["ended", runs[1]],
      "state_update",
    ]);
    expect(whole[4]?.data).toMatchObject({ status: "success" });
    expect(whole[5]?.data).toMatchObject({ next: [], values: { messages: expect.any(Array) } });
    for (const [index, { id }] of whole.slice(0, -1).entries())
      expect(await read(thread, id, 5 - index)).toEqual(whole.slice(index + 1));
  });
});

describe("bodies", () => {
  test("of a wait: headers at once, blanks while it lasts, then one JSON value", async () => {
    const thread = await newThread();
    const json = { assistant_id: "delay", input: { ...input, delay: 1_300 } };
    const response = await call(`/threads/${thread}/runs/wait`, { json });
    const run = present(response.headers.get("content-location"));
    expect(await answer(run)).toMatchObject({ status: "running" });
    const text = await response.text();
    expect(text).toMatch(/^\n\n+\{.*\}$/);
    expect(JSON.parse(text)).toMatchObject({ delay: 1_300 });
  });

  test("of a join: the same, and a run begins when it is created", async () => {
    const thread = await newThread();
    const json = { assistant_id: "delay", input: { ...input, delay: 1_300 } };
    const { run_id } = await background(thread, json);
    const text = await (await call(`/threads/${thread}/runs/${run_id}/join`)).text();
    expect(text).toMatch(/^\n\n+\{.*\}$/);
    expect(JSON.parse(text)).toMatchObject({ delay: 1_300 });
    // A server that looks for runs now and then, say twice a second, would take ten seconds for these.
    const twenty = async () => {
      const begun = performance.now();
      for (let count = 0; count < 20; count += 1) {
        const quick = await background(thread, { assistant_id: "delay", input: { ...input, delay: 0 } });
        await (await call(`/threads/${thread}/runs/${quick.run_id}/join`)).text();
      }
      return performance.now() - begun;
    };
    expect(await quickest(5_000, twenty)).toBeLessThan(5_000);
  });

  test("of a stream: frames of an id, a name and one line of data, and comments between them", async () => {
    const thread = await newThread();
    const json = { assistant_id: "agent", input, stream_mode: ["values", "messages-tuple"] };
    const response = await call(`/threads/${thread}/runs/stream`, { json });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(response.headers.get("cache-control")).toContain("no-cache");
    const text = await response.text();
    // A comment with a blank line behind it would be an event to some clients.
    expect(text).toMatch(/^: heartbeat\n(?!\n)/);
    expect(text).toEndWith("\n\n");
    for (const frame of framesIn(text)) expect(frame).toMatch(/^id: .+\nevent: .+\ndata: .+$/);
    expect(namesIn(text)[0]).toBe("metadata");
    expect(namesIn(text)).not.toContain("end");
  });

  test("text/plain is read as JSON", async () => {
    const body = JSON.stringify({ metadata: { plain: true } });
    const headers = { "content-type": "text/plain;charset=UTF-8" };
    expect(await answer("/threads", { body, headers })).toMatchObject({ metadata: { plain: true } });
  });

  test("fields that nobody knows are ignored", async () => {
    const unknown = { assistant_id: "agent", input, brand_new_field: { a: 1 }, strict_resume: true };
    expect(await answer("/runs/wait", { json: unknown })).toHaveProperty("messages");
  });

  test("DELETE answers what clients read", async () => {
    const thread = await newThread();
    expect((await call(`/threads/${thread}`, { method: "DELETE" })).status).toBe(204);
    const { assistant_id } = await answer<{ assistant_id: string }>("/assistants", {
      json: { graph_id: "agent" },
    });
    const path = `/assistants/${assistant_id}?delete_threads=false`;
    expect(await answer<string[]>(path, { method: "DELETE" })).toEqual([assistant_id]);
  });
});

describe("errors", () => {
  const failure = async (path: string, options?: Call) => {
    const response = await call(path, options);
    return { status: response.status, body: (await response.json()) as { detail: unknown } };
  };

  test("a detail in words for what is not there or in the way", async () => {
    const thread = crypto.randomUUID();
    expect(await failure(`/threads/${thread}`)).toEqual({
      status: 404,
      body: { detail: `Thread with ID ${thread} not found` },
    });
    const taken = await newThread();
    expect(await failure("/threads", { json: { thread_id: taken, if_exists: "raise" } })).toEqual({
      status: 409,
      body: { detail: "Thread already exists" },
    });
    const unknown = await failure("/runs/wait", { json: { assistant_id: "nobody", input } });
    expect(unknown.status).toBe(404);
    expect(unknown.body.detail).toStartWith('No assistant found for "nobody".');
    expect((await failure("/no/such/path")).status).toBe(404);
    expect(
      (await failure("/store/items", { method: "PUT", json: { namespace: [], key: "k", value: {} } })).status,
    ).toBe(400);
  });

  test("a list of details for what is wrong with a request, every fault in it", async () => {
    const { status, body } = await failure("/runs/wait", {
      json: { input, stream_mode: "loud", webhook: "" },
    });
    expect(status).toBe(422);
    const details = body.detail as { loc: string[]; msg: string; type: string }[];
    for (const detail of details) {
      expect(detail).toEqual(expect.objectContaining({ msg: expect.any(String), type: expect.any(String) }));
    }
    expect(new Set(details.map(({ loc }) => loc.slice(0, 2).join(".")))).toEqual(
      new Set(["body.assistant_id", "body.stream_mode", "body.webhook"]),
    );
    expect(
      (await failure("/threads", { body: "{", headers: { "content-type": "application/json" } })).status,
    ).toBe(422);
    expect((await failure("/threads/not-a-uuid")).status).toBe(422);
  });
});
