import { describe, expect, test } from "bun:test";
import { AIMessage, type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { OfflineChatModel } from "../../../agent/templates/every-project/offline-model.ts";
import { AT_ONCE_MS } from "../../limits.ts";
import { load, names, pace, TemplateThread, type Token } from "./template-thread.ts";

pace("0");

const getWeather = { name: "get_weather", description: "", schema: { type: "object", properties: {} } };
const text = (tokens: Token[]) => tokens.map((token) => token.message.text).join("");

describe.each(names)("%s", (name) => {
  test.each([1, 4, 16])("all tokens arrive without a pause, %i runs at once", async (concurrency) => {
    const exported = await load(name);
    await Promise.all(
      Array.from({ length: concurrency }, async (_, index) => {
        const thread = new TemplateThread(exported);
        const tokens = await thread.run(`Hello number ${index}`);
        expect(tokens.length).toBeGreaterThanOrEqual(30);
        expect(text(tokens)).toBe(await thread.answer());
        expect(new Set(tokens.map((token) => token.message.id)).size).toBe(1);
      }),
    );
  });

  test("an abort stops a slow model at once", async () => {
    process.env.OFFLINE_TOKEN_MS = "60000";
    const abort = new AbortController();
    const thread = new TemplateThread(await load(name));
    const input = { messages: [{ role: "user", content: "hello" }] };
    const stream = await thread.stream(input, { streamMode: ["tasks"], signal: abort.signal });
    expect(await msToStop(stream, abort, (task) => /^model/.test(task))).toBeLessThan(AT_ONCE_MS);
  });
});

test("an abort reaches a subagent", async () => {
  // A pace above 0 lets this reader see the subagent start before it is through.
  process.env.OFFLINE_TOKEN_MS = "1";
  const abort = new AbortController();
  const thread = new TemplateThread(await load("deep-agent"));
  const input = { messages: [{ role: "user", content: "research owls" }] };
  const stream = await thread.stream(input, { streamMode: ["tasks"], signal: abort.signal });
  const took = await msToStop(stream, abort, (task, namespace) => {
    if (namespace.length > 0) process.env.OFFLINE_TOKEN_MS = "60000";
    return namespace.length > 0 && task === "model_request";
  });
  expect(took).toBeLessThan(AT_ONCE_MS);
});

/** Aborts when the task starts, and tells how many milliseconds the stream then takes to fail. */
async function msToStop(
  stream: Awaited<ReturnType<TemplateThread["stream"]>>,
  abort: AbortController,
  isTask: (name: string, namespace: string[]) => boolean,
): Promise<number> {
  let at = 0;
  try {
    for await (const [namespace, , data] of stream) {
      const { name, result } = data as { name: string; result?: unknown };
      if (result !== undefined || !isTask(name, namespace)) continue;
      at = performance.now();
      abort.abort();
    }
  } catch {
    if (at > 0) return performance.now() - at;
  }
  throw new Error("The stream ended without being aborted.");
}

describe("the offline model", () => {
  const model = new OfflineChatModel();
  const ask = (question: string) => [new HumanMessage(question)];

  test("paces its tokens by OFFLINE_TOKEN_MS", async () => {
    process.env.OFFLINE_TOKEN_MS = "4";
    const start = performance.now();
    const answer = await model.invoke(ask("hello"));
    const words = answer.text.split(/\s+/).length;
    expect(performance.now() - start).toBeGreaterThanOrEqual(words * 3);
  });

  test.each(["", "soon", "-1"])("takes its own pace where OFFLINE_TOKEN_MS is %p", async (value) => {
    process.env.OFFLINE_TOKEN_MS = value;
    const start = performance.now();
    const first = await (await model.stream(ask("hello"))).next();
    expect(first.done).toBe(false);
    const took = performance.now() - start;
    expect(took).toBeGreaterThanOrEqual(15);
    expect(took).toBeLessThan(AT_ONCE_MS);
  });

  test("streams a tool call in pieces under one message id", async () => {
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.bindTools([getWeather]).stream(ask("weather in Oslo")))
      chunks.push(chunk);
    const pieces = chunks.flatMap((chunk) => chunk.tool_call_chunks ?? []);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.filter((piece) => piece.name)).toHaveLength(1);
    expect(JSON.parse(pieces.map((piece) => piece.args ?? "").join(""))).toEqual({ city: "Oslo" });
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  test("invoke and stream say the same, with usage and the reason for the end", async () => {
    const bound = model.bindTools([getWeather]);
    const answer = await bound.invoke(ask("weather in Oslo"));
    let streamed: AIMessageChunk | undefined;
    for await (const chunk of await bound.stream(ask("weather in Oslo")))
      streamed = streamed?.concat(chunk) ?? chunk;
    for (const message of [answer, streamed]) {
      expect(message).toMatchObject({
        text: "I look at the weather.",
        tool_calls: [{ name: "get_weather", args: { city: "Oslo" }, id: answer.tool_calls?.[0]?.id }],
        response_metadata: { model_name: "offline", finish_reason: "tool_calls" },
      });
      expect(message?.usage_metadata?.output_tokens).toBeGreaterThan(5);
    }
    expect(AIMessage.isInstance(answer)).toBe(true);
    expect(streamed?.id).not.toBe(answer.id);
  });

  test("keeps text and tool call apart in content-block events", async () => {
    const message = await model.streamEvents(ask("weather in Oslo"), { tools: [getWeather] });
    expect(message.text).toBe("I look at the weather.");
    expect(message.tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Oslo" } }]);
  });

  test("calls no tool that it was not given, or with tool_choice none", async () => {
    const unbound = await model.invoke(ask("weather, research, send and fail"));
    const bound = model.bindTools([getWeather], { tool_choice: "none" });
    for (const answer of [unbound, await bound.invoke(ask("weather"))]) {
      expect(answer.tool_calls).toEqual([]);
      expect(answer.text).toContain("offline model");
    }
  });

  test("stops by itself when its signal is aborted", async () => {
    process.env.OFFLINE_TOKEN_MS = "60000";
    const abort = new AbortController();
    const first = model._streamResponseChunks(ask("hello"), { signal: abort.signal }).next();
    const start = performance.now();
    abort.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect(performance.now() - start).toBeLessThan(AT_ONCE_MS);
  });
});
