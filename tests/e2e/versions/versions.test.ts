import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { has, installed, SHORT, TABLE } from "./langgraph-versions.ts";

const LONG = process.env.BERTH_LONG === "1";

for (const versions of LONG ? TABLE : TABLE.filter(({ langgraph }) => SHORT.includes(langgraph))) {
  describe(`a project on LangGraph ${versions.langgraph}`, () =>
    behavesAsAnyOther(versions.langgraph, () => installed(versions)));
}

describe("a project on the newest LangGraph", () =>
  behavesAsAnyOther("1.7.3", async () => join(import.meta.dir, "project")));

type Values = { messages?: { content: unknown }[] } & Record<string, unknown>;

const human = (content: string) => ({ messages: [{ role: "user", content }] });
const texts = (values: unknown) => (values as Values).messages?.map(({ content }) => content);

function behavesAsAnyOther(version: string, folderOf: () => Promise<string>): void {
  let berth: BerthProcess | undefined;
  let client = new Client();
  let folder = "";

  beforeAll(async () => {
    folder = await folderOf();
    berth = await start({ project: folder });
    client = new Client({ apiUrl: berth.url });
  }, 3 * TEST_LIMIT_MS);

  afterAll(async () => {
    await berth?.stop();
    if (!folder.startsWith(import.meta.dir)) rmSync(folder, { recursive: true, force: true });
  }, TEST_LIMIT_MS);

  const newThread = async () => (await client.threads.create()).thread_id;
  const wait = async (thread: string | null, graph: string, payload: object) =>
    (thread === null
      ? await client.runs.wait(null, graph, payload)
      : await client.runs.wait(thread, graph, payload)) as Values;
  const events = async (thread: string | null, graph: string, payload: object) => {
    const seen: { event: string; data: unknown }[] = [];
    const stream =
      thread === null ? client.runs.stream(null, graph, payload) : client.runs.stream(thread, graph, payload);
    for await (const { event, data } of stream) seen.push({ event, data });
    return seen;
  };

  test("takes a second message, shows its state and history, forks and can be edited", async () => {
    const thread = await newThread();
    await wait(thread, "chat", { input: human("one") });
    const [head] = await client.threads.getHistory(thread);
    expect(texts(await wait(thread, "chat", { input: human("two") }))).toEqual([
      ...["one", "I have read 1 messages"],
      ...["two", "I have read 3 messages"],
    ]);
    const state = await client.threads.getState(thread);
    expect(state).toMatchObject({ next: [], tasks: [] });
    expect(texts(state.values)).toHaveLength(4);
    expect(await client.threads.getHistory(thread)).toHaveLength(6);
    const forked = await wait(thread, "chat", { input: human("other"), checkpoint: head?.checkpoint });
    expect(texts(forked)).toEqual(["one", "I have read 1 messages", "other", "I have read 3 messages"]);
    await client.threads.updateState(thread, { values: human("written by hand") });
    expect(texts((await client.threads.getState(thread)).values)?.at(-1)).toBe("written by hand");
    expect(texts((await client.threads.get(thread)).values)?.at(-1)).toBe("written by hand");
  });

  test("streams updates and values, each alone and together, with and without a thread", async () => {
    const modes = [["updates"], ["values"], ["updates", "values"]];
    for (const thread of [null, await newThread()]) {
      for (const streamMode of modes) {
        const seen = await events(thread, "chat", { input: human("hello"), streamMode });
        expect([...new Set(seen.map(({ event }) => event))].sort()).toEqual(["metadata", ...streamMode]);
        const [last] = seen.filter(({ event }) => event === streamMode[0]).slice(-1);
        expect(JSON.stringify(last)).toContain("I have read");
      }
    }
  });

  test.skipIf(!has.tokens(version))("streams tokens", async () => {
    const seen = await events(null, "chat", { input: human("hello"), streamMode: "messages-tuple" });
    const words = seen.flatMap(({ event, data }) =>
      event === "messages" ? [(data as Values[])[0]?.content] : [],
    );
    expect(words.slice(0, 5)).toEqual(["I ", "have ", "read ", "1 ", "messages"]);
    const grown = (await events(null, "chat", { input: human("hello"), streamMode: "messages" })).flatMap(
      ({ event, data }) => (event === "messages/partial" ? [(data as Values[])[0]?.content] : []),
    );
    expect(grown).toEqual(["I ", "I have ", "I have read ", "I have read 1 ", "I have read 1 messages"]);
    // Whoever reads it: what was not streamed says so.
    const { messages } = await wait(null, "chat", { input: human("hello") });
    expect(messages?.at(-1)).not.toMatchObject({ response_metadata: { whole: true } });
  });

  test("sends tasks", async () => {
    const thread = await newThread();
    const input = { words: ["a", "bb", "ccc"] };
    expect(await wait(thread, "fan", { input })).toMatchObject({ lengths: [1, 2, 3] });
    expect(await wait(thread, "fan", { input })).toMatchObject({ lengths: [1, 2, 3, 1, 2, 3] });
    expect(await wait(null, "fan", { input })).toMatchObject({ lengths: [1, 2, 3] });
  });

  test.skipIf(!has.breakpointsAtSends(version))("stops before sent tasks, and goes on", async () => {
    const thread = await newThread();
    await wait(thread, "fan", { input: { words: ["a", "bb", "ccc"] } });
    await wait(thread, "fan", { input: { words: ["dddd"] }, interruptBefore: ["measure"] });
    expect(await client.threads.get(thread)).toMatchObject({ status: "interrupted" });
    expect((await client.threads.getState(thread)).next).toEqual(["measure"]);
    expect(await wait(thread, "fan", { input: null })).toMatchObject({ lengths: [1, 2, 3, 4] });
    expect(await client.threads.get(thread)).toMatchObject({ status: "idle" });
  });

  describe.skipIf(!has.interrupts(version))("asks a person", () => {
    const input = { question: "why" };
    const answered = { answer: "because", log: expect.arrayContaining(["prepared", "answered because"]) };

    test.each([
      ["ask", undefined],
      ["ask", ["values"]],
      ["ask", ["updates"]],
      ["ask", ["messages-tuple"]],
      ["ask", ["events"]],
      ["ask", ["custom", "updates"]],
      ["outer", ["values"]],
      ["outer", ["updates"]],
    ])("in %s, whatever the caller streams: %p", async (graph, streamMode) => {
      const thread = await newThread();
      const seen = await events(thread, graph, { input, ...(streamMode && { streamMode }) });
      const told = seen.filter(
        ({ data }) => typeof data === "object" && data !== null && "__interrupt__" in data,
      );
      const modes = streamMode ?? ["values"];
      expect([...new Set(told.map(({ event }) => event))]).toEqual(
        modes.filter((mode) => mode === "values" || mode === "updates"),
      );
      const { status, interrupts } = await client.threads.get(thread);
      const [question] = Object.values(interrupts).flat();
      expect({ status, question }).toEqual({
        status: "interrupted",
        question: expect.objectContaining({ id: expect.any(String), value: { question: "why" } }),
      });
      const { next, tasks } = await client.threads.getState(thread);
      expect(next).toEqual([graph === "ask" ? "ask" : "inner"]);
      expect(tasks.flatMap((task) => task.interrupts)).toEqual([question as never]);
      const resumed = await wait(thread, graph, { command: { resume: "because" } });
      expect(resumed).toMatchObject(answered);
      expect(await client.threads.get(thread)).toMatchObject({ status: "idle", interrupts: {} });
    });

    test("over the thread protocol, where the answer comes by the question's id", async () => {
      const thread = crypto.randomUUID();
      await command(thread, "run.start", { assistant_id: "outer", input });
      const asked = await until(
        "the thread is interrupted",
        () => client.threads.get(thread),
        ({ status }) => status === "interrupted",
      );
      const [question] = Object.values(asked.interrupts).flat();
      const reply = await command(thread, "input.respond", {
        interrupt_id: question?.id,
        response: "because",
      });
      expect(reply).toMatchObject({ type: "success" });
      const ended = await until(
        "the thread is idle",
        () => client.threads.get(thread),
        ({ status }) => status === "idle",
      );
      expect(ended.values).toMatchObject(answered);
    });

    test("with a wait that tells the question", async () => {
      const stopped = await wait(await newThread(), "ask", { input });
      expect(stopped.__interrupt__).toMatchObject([{ value: { question: "why" } }]);
    });
  });

  test("keeps items in the store", async () => {
    const visits = () => client.store.getItem(["visits"], "count");
    await wait(null, "memo", { input: human("hello") });
    const before = ((await visits())?.value.count as number | undefined) ?? 0;
    await wait(null, "memo", { input: human("hello") });
    expect((await visits())?.value).toEqual({ count: before + 1 });
  });

  const agents = ["agent", ...(has.createAgent(version) ? ["created"] : [])];
  test.each(agents)("calls tools, in each of two turns: %s", async (graph) => {
    const thread = await newThread();
    await wait(thread, graph, { input: human("What is the weather?") });
    const values = await wait(thread, graph, { input: human("And the weather now?") });
    expect(texts(values)?.filter((text) => text === "It is sunny in Bern")).toHaveLength(2);
    expect(texts(values)?.at(-1)).toBe("I have read 7 messages");
  });

  if (has.createAgent(version))
    test("streams the tokens and updates of createAgent", async () => {
      const streamMode = ["updates", "messages-tuple"];
      const seen = await events(null, "created", { input: human("hello"), streamMode });
      const words = seen.flatMap(({ event, data }) =>
        event === "messages" ? [(data as Values[])[0]?.content] : [],
      );
      expect(words).toEqual(["I ", "have ", "read ", "1 ", "messages"]);
      expect(JSON.stringify(seen.filter(({ event }) => event === "updates"))).toContain(
        "I have read 1 messages",
      );
    });

  if (has.zodState(version))
    test("has its state and its configuration in zod", async () => {
      const input = { word: "hello" };
      const thread = await newThread();
      const config = { configurable: { tone: "soft" } };
      expect(await wait(thread, "measured", { input, config })).toEqual({
        ...input,
        length: 5,
        tone: "soft",
      });
      expect(await wait(thread, "measured", { input: { word: "hi" } })).toMatchObject({ length: 2 });
      expect((await client.threads.getState(thread)).values).toMatchObject({ word: "hi", length: 2 });
      expect(await client.threads.getHistory(thread)).toHaveLength(6);
      const refused = { input: { word: 5 }, raiseError: false };
      expect(await wait(null, "measured", refused)).toMatchObject({
        __error__: { error: expect.stringMatching(/^\$?ZodError$/) },
      });
      const schemas = await until(
        "the schemas with their types",
        () => client.assistants.getSchemas("measured"),
        ({ config_schema }) => config_schema?.properties !== undefined,
      );
      expect(schemas.state_schema).toMatchObject({ properties: { word: { type: "string" } } });
      expect(schemas.config_schema).toMatchObject({ properties: { tone: { type: "string" } } });
    });

  test("reads its configuration, and has schemas", async () => {
    const config = { configurable: { tone: "soft" } };
    expect(texts(await wait(null, "configured", { input: human("hello"), config }))?.at(-1)).toBe(
      "in a soft tone",
    );
    const { state_schema } = await client.assistants.getSchemas("configured");
    expect(state_schema).toMatchObject({ properties: { messages: expect.anything() } });
  });

  async function command(thread: string, method: string, params: object) {
    const response = await fetch(`${berth?.url}/api/threads/${thread}/commands`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: 1, method, params }),
    });
    return (await response.json()) as Record<string, unknown>;
  }
}
