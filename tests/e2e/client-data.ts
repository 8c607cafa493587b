import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BerthProcess, type StartOptions, start } from "./berth-process.ts";

const model = {
  lc: 1,
  type: "constructor",
  id: ["langchain", "chat_models", "openai", "ChatOpenAI"],
  kwargs: {},
};
const message = { ...model, id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "x" } };

/** Objects that serializers of LangChain, LangGraph or Berth would take for their own. */
const DATA: Record<string, unknown> = {
  model,
  message,
  unknownMessage: { ...message, id: ["langchain_core", "messages", "Nope"] },
  secret: { ...model, kwargs: { openai_api_key: { lc: 1, type: "secret", id: ["OPENAI_API_KEY"] } } },
  set: { lc: 2, type: "constructor", id: ["Set"], method: null, args: [[1]], kwargs: {} },
  undefined: { lc: 2, type: "undefined" },
  ofClass: { lc: 2, type: "constructor", id: ["builtins", "dict"], method: [null], args: [], kwargs: {} },
  likeInstance: { ...message, lc_kwargs: { content: "y" } },
  likePrompt: {
    ...message,
    id: ["langchain_core", "prompts", "prompt", "PromptTemplate"],
    kwargs: { template: "hi {a}", input_variables: ["a"] },
    lc_kwargs: {},
    lc_secrets: 1,
  },
  likeUndefined: { lc: 2, type: "undefined", lc_kwargs: {} },
  likeBigint: { lc: 2, type: "bigint", value: "123", lc_kwargs: {}, toJSON: 1 },
  likeMap: { lc: 2, type: "constructor", id: ["Map"], args: [[["a", 1]]], lc_kwargs: {} },
  likeError: { lc: 2, type: "constructor", id: ["Error"], args: ["boom"], lc_kwargs: {} },
  likeSnapshot: { lc: 2, type: "delta_snapshot", value: [1], lc_kwargs: {}, lg_name: "DeltaSnapshot" },
  send: { lg_name: "Send", node: "tool", args: { a: 1 } },
  command: { lg_name: "Command", resume: 1, goto: [] },
  ofPython: { "berth:py": ["json", "e30="], view: { shown: 1 } },
  wrapped: { "berth:plain": { lc: 1 } },
  escaped: { __lc_escaped__: { lc: 1 } },
  deep: Array.from({ length: 60 }).reduce((inner) => ({ inner }), model),
};

type Values = Record<string, unknown> & { messages: Record<string, unknown>[] };

/** Sends the data at each place of a thread where a client can put some, and reads it at each place that shows it. */
export function keepsClientData(graph: "script" | "python", options: StartOptions) {
  let berth: BerthProcess;
  beforeAll(async () => {
    berth = await start(options);
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const response = await fetch(berth.url + path, { method, headers, ...init });
    const text = await response.text();
    expect(`${method} ${path} ${response.status} ${response.ok ? "" : text}`).toBe(`${method} ${path} 200 `);
    return JSON.parse(text);
  }

  /** What each answer shows of the thread's data. */
  async function shown(thread: string): Promise<unknown[]> {
    const state = await call<{ values: Values; metadata: object }>("GET", `/threads/${thread}/state`);
    const history = await call<{ values: Values }[]>("GET", `/threads/${thread}/history?limit=100`);
    const read = await call<{ values: Values; metadata: object }>("GET", `/threads/${thread}`);
    const search = { ids: [thread], extract: { doc: "values.doc" } };
    const [found] = await call<{ values: Values; extracted: object }[]>("POST", "/threads/search", search);
    return [
      state.values,
      state.metadata,
      history[0]?.values,
      read.values,
      read.metadata,
      found?.values,
      found?.extracted,
    ];
  }

  async function begun(doc: unknown): Promise<string> {
    const { thread_id } = await call<{ thread_id: string }>("POST", "/threads", { metadata: { doc } });
    const human = {
      type: "human",
      content: [{ type: "text", text: "x", extra: doc }],
      additional_kwargs: { doc },
    };
    const asked = await call<Values>("POST", `/threads/${thread_id}/runs/wait`, {
      assistant_id: graph,
      input: { doc, messages: [human] },
      metadata: { doc },
    });
    expect(asked.__interrupt__).toEqual([{ id: expect.any(String), value: doc }]);
    return thread_id;
  }

  test.each(Object.entries(DATA))("keeps data that looks like its own: %s", async (_, doc) => {
    const thread = await begun(doc);
    const answered = { assistant_id: graph, command: { resume: doc }, metadata: { doc } };
    const values = await call<Values>("POST", `/threads/${thread}/runs/wait`, answered);
    expect([values.doc, values.answer]).toEqual([doc, doc]);
    const [human, tool] = values.messages;
    expect(human).toMatchObject({
      type: "human",
      content: [{ type: "text", text: "x", extra: doc }],
      additional_kwargs: { doc },
    });
    expect(tool).toMatchObject({ type: "tool", artifact: doc });
    const before = await shown(thread);
    for (const at of [0, 2, 3, 5]) expect(before[at]).toEqual(values);
    for (const at of [1, 4]) expect(before[at]).toMatchObject({ doc });
    expect(before[6]).toEqual({ doc });
    // Twice: the second edit reads what the first one wrote.
    for (const _ of [1, 2])
      await call("POST", `/threads/${thread}/state`, { values: { doc: [doc], answer: { doc } } });
    const [edited] = await shown(thread);
    expect(edited).toEqual({ ...values, doc: [doc], answer: { doc } });
  });

  test.each([
    { a: 1, __interrupt__: [] },
    { __interrupt__: [1], a: 1 },
    { __interrupt__: [] },
    // A graph in JavaScript takes an input of this name for a command of its own.
    ...(graph === "python" ? [{ lg_name: "Command" }] : []),
  ])("takes %j for what a graph returned", async (returned) => {
    const { thread_id } = await call<{ thread_id: string }>("POST", "/threads", {});
    const path = `/threads/${thread_id}`;
    const body = { assistant_id: "returns", input: returned };
    expect(await call<object>("POST", `${path}/runs/wait`, body)).toEqual(returned);
    const { values, status, interrupts } = await call<Record<string, unknown>>("GET", path);
    expect({ values, status, interrupts }).toEqual({ values: returned, status: "idle", interrupts: {} });
    expect(await call<object>("GET", `${path}/state`)).toMatchObject({ values: returned, next: [] });
    const [run] = await call<{ run_id: string; status: string }[]>("GET", `${path}/runs`);
    expect(run?.status).toBe("success");
    expect(await call<object>("GET", `${path}/runs/${run?.run_id}/join`)).toEqual(returned);
  });

  // A worker in Python starts slowly, and Berth reads its values as it reads those of others.
  if (graph === "python") return;
  test("keeps it over a restart", async () => {
    const threads = await Promise.all(Object.values(DATA).map(begun));
    const before = await Promise.all(threads.map(shown));
    await berth.kill9();
    berth = await berth.restartOnSameData();
    expect(await Promise.all(threads.map(shown))).toEqual(before);
    const [thread] = threads;
    const answered = { assistant_id: graph, command: { resume: model } };
    expect((await call<Values>("POST", `/threads/${thread}/runs/wait`, answered)).answer).toEqual(model);
  });
}
