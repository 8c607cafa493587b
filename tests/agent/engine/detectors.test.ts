import { describe, expect, test } from "bun:test";
import type { Baseline } from "@berth/store";
import { detect } from "../../../agent/engine/detectors/index.ts";
import { noBaseline, type SpanMade, traceOf } from "./trace-maker.ts";

const ai = (content: unknown, more: object = {}) => ({ type: "ai", content, tool_calls: [], ...more });
const toolMessage = (content: string, more: object = {}) => ({
  ...{ type: "tool", content, name: "weather", tool_call_id: "call_1", status: "error" },
  ...more,
});

const seen = (spans: SpanMade[], feedback = [] as Parameters<typeof traceOf>[1], baseline = noBaseline) =>
  detect(traceOf(spans, feedback), baseline);
const kinds = (...given: Parameters<typeof seen>) => seen(...given).map(({ detector }) => detector);

describe("exceptions", () => {
  test("are told where they began, not where they passed", () => {
    const error = { type: "WeatherError", message: "no weather for 'Köln'" };
    const found = seen([
      { name: "graph", error },
      { name: "tools", node: "tools", error },
      { name: "weather", in: "tools", type: "tool", node: "tools", error },
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      ...{
        detector: "tool_error",
        error_type: "WeatherError",
        node: "tools",
        tool: "weather",
        run_id: "weather",
      },
      ...{ message: "no weather for <value>", trace_id: "graph", version: 2 },
      reason: "The tool weather, in the node tools, threw WeatherError, and the run failed.",
    });
  });

  test("that wrap another one are told once", () => {
    expect(
      seen([
        { name: "graph", error: "the agent could not answer" },
        { name: "agent", node: "agent", error: "planning failed: 503" },
        { name: "model", in: "agent", type: "llm", node: "agent", error: "529 overloaded" },
      ]).map(({ run_id }) => run_id),
    ).toEqual(["model"]);
  });

  test("behind a failure that was survived are told beside it", () => {
    expect(
      seen([
        { name: "graph", error: "no route" },
        { name: "tools", node: "tools" },
        { name: "weather", in: "tools", type: "tool", error: "timeout" },
        { name: "route", node: "route", error: "no route" },
      ]).map(({ run_id, detector }) => [run_id, detector]),
    ).toEqual([
      ["weather", "tool_error"],
      ["route", "exception"],
    ]);
  });

  test("that steer the graph are none, nor are steps that somebody stopped", () => {
    const types = ["GraphInterrupt", "NodeInterrupt", "langgraph.errors.ParentCommand", "AbortError"];
    for (const type of types)
      expect(kinds([{ name: "graph" }, { name: "ask", error: { type, message: "" } }])).toEqual([]);
    expect(kinds([{ name: "graph" }, { name: "ask", error: "GraphInterrupt(()) at ask" }])).toEqual([]);
    expect(
      kinds([
        { name: "graph", status: "cancelled" },
        { name: "a", status: "cancelled", error: "x" },
      ]),
    ).toEqual([]);
  });

  test("of the same kind in one trace are one finding, of many kinds twenty at most", () => {
    const orders = Array.from({ length: 5 }, (_, i) => ({
      name: "orders",
      id: `o${i}`,
      type: "tool" as const,
      error: `no order ${i}`,
    }));
    expect(seen([{ name: "graph" }, ...orders])).toHaveLength(1);
    const tools = Array.from({ length: 30 }, (_, i) => ({
      name: `tool${"abcdefghijklmnopqrstuvwxyzäöü"[i]}x`,
      id: `t${i}`,
      type: "tool" as const,
      error: "bad",
    }));
    expect(seen([{ name: "graph" }, ...tools])).toHaveLength(20);
  });
});

describe("tools that answer with an error", () => {
  test("are told with the tool's name, in every form of messages", () => {
    const lc = {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "ToolMessage"],
      kwargs: toolMessage("boom"),
    };
    for (const message of [toolMessage("boom"), lc]) {
      const [one, ...more] = seen([
        { name: "graph", outputs: { messages: [message] } },
        { name: "tools", node: "tools", outputs: { messages: [message] } },
      ]);
      expect(one).toMatchObject({ detector: "tool_error", tool: "weather", node: "tools", message: "boom" });
      expect(more).toEqual([]);
    }
  });

  test("are not told twice when the tool threw", () => {
    const found = seen([
      { name: "graph" },
      {
        name: "tools",
        node: "tools",
        outputs: { messages: [toolMessage("Error: boom\n Please fix your mistakes.")] },
      },
      { name: "weather", in: "tools", type: "tool", error: "boom" },
    ]);
    expect(found.map(({ run_id }) => run_id)).toEqual(["weather"]);
  });

  test("in an earlier run of the thread are not this run's", () => {
    const messages = [toolMessage("boom")];
    expect(
      kinds([
        { name: "graph", inputs: { messages } },
        { name: "agent", node: "agent", outputs: { messages } },
      ]),
    ).toEqual([]);
  });
});

describe("loops and limits", () => {
  const limit = {
    type: "GraphRecursionError",
    message: "Recursion limit of 25 reached without hitting a stop condition.",
  };
  const call = (args: unknown, id: string): SpanMade => ({ name: "search", id, type: "tool", inputs: args });

  test("a recursion limit is one finding, whatever its number", () => {
    const [one, ...more] = seen([{ name: "graph", error: limit }]);
    expect(one).toMatchObject({
      detector: "recursion_limit",
      message: "Recursion limit of <n> reached without hitting a stop condition",
    });
    expect(more).toEqual([]);
  });

  test("four calls of one tool with the same arguments are a loop, in whichever order and form they are written", () => {
    const forms = [
      { q: "x", n: 1 },
      { n: 1, q: "x" },
      '{"q":"x","n":1}',
      { type: "tool_call", id: "c4", name: "search", args: { q: "x", n: 1 } },
    ];
    const [one] = seen([{ name: "graph" }, ...forms.map((args, i) => call(args, `c${i}`))]);
    expect(one).toMatchObject({
      detector: "loop",
      tool: "search",
      reason: "search was called 4 times with the same arguments in one run.",
    });
    expect(kinds([{ name: "graph" }, ...forms.slice(1).map((args, i) => call(args, `c${i}`))])).toEqual([]);
    expect(kinds([{ name: "graph" }, ...[1, 2, 3, 4, 5].map((n) => call({ n }, `c${n}`))])).toEqual([]);
  });

  test("tools that leave no spans are seen in what the model asks for", () => {
    const asks = (n: number): SpanMade => ({
      name: "model",
      id: `m${n}`,
      type: "llm",
      outputs: { message: ai("", { tool_calls: [{ name: "search", args: { q: "x" }, id: `call_${n}` }] }) },
    });
    expect(kinds([{ name: "graph" }, asks(1), asks(2), asks(3), asks(4)])).toEqual(["loop"]);
    expect(kinds([{ name: "graph" }, asks(1), asks(2), asks(3)])).toEqual([]);
  });
});

describe("answers", () => {
  const model = (outputs: unknown, more: Partial<SpanMade> = {}): SpanMade => ({
    name: "model",
    type: "llm",
    node: "agent",
    outputs,
    ...more,
  });

  test.each<[string, unknown, Record<string, string>]>([
    ["our own spans", { message: ai("and then") }, { finish_reason: "length" }],
    [
      "LangChain",
      {
        generations: [
          [
            {
              text: "and",
              generation_info: { finish_reason: "length" },
              message: { lc: 1, id: ["AIMessage"], kwargs: { content: "and" } },
            },
          ],
        ],
      },
      {},
    ],
    [
      "OpenAI",
      { choices: [{ finish_reason: "length", message: { role: "assistant", content: "and" } }] },
      {},
    ],
    [
      "Anthropic",
      {
        type: "message",
        role: "assistant",
        content: [{ type: "text", text: "and" }],
        stop_reason: "max_tokens",
      },
      {},
    ],
  ])("that are cut off are told, as %s writes them", (_, outputs, metadata) =>
    expect(kinds([{ name: "graph" }, model(outputs, { metadata })])).toEqual(["cut_off_answer"]),
  );

  test("that are empty are told when they are the last", () => {
    const empty = model({ message: ai("  ") });
    expect(kinds([{ name: "graph" }, empty])).toEqual(["empty_answer"]);
    expect(kinds([{ name: "graph" }, empty, model({ message: ai("Here it is") }, { id: "m2" })])).toEqual([]);
    expect(kinds([{ name: "graph", status: "interrupted" }, empty])).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["asks for a tool", ai("", { tool_calls: [{ name: "search", args: {} }] })],
    [
      "asks for a tool as Anthropic does",
      { role: "assistant", content: [{ type: "tool_use", name: "search", input: {} }] },
    ],
    ["shows a picture", ai([{ type: "image_url", image_url: "data:" }])],
    ["was cut by us", { __cut__: 99_999, text: "" }],
  ])("that have no text are fine where the model %s", (_, message) =>
    expect(kinds([{ name: "graph" }, model({ message })])).toEqual([]),
  );

  test("that a later step fills in are fine", () => {
    const root = { name: "graph", outputs: { messages: [ai(""), ai("the report")] } };
    expect(kinds([root, model({ message: ai("") })])).toEqual([]);
  });
});

describe("time limits", () => {
  test("are told with what was under way", () => {
    const [one, ...more] = seen([
      {
        name: "graph",
        status: "timeout",
        error: { type: "TimeoutError", message: "Run exceeded its limit of 3600 s" },
      },
      { name: "agent", node: "agent" },
      { name: "tools", node: "tools", status: "timeout" },
      { name: "crawl", in: "tools", type: "tool", status: "timeout" },
    ]);
    expect(one).toMatchObject({
      ...{ detector: "timeout", error_type: "RunTimeout", node: "tools", tool: "crawl", run_id: "crawl" },
      message: "Run exceeded its limit of <n>",
      reason: "The run passed its time limit while the tool crawl, in the node tools was under way.",
    });
    expect(more).toEqual([]);
  });
});

describe("feedback", () => {
  test.each<[Parameters<typeof traceOf>[1], number]>([
    [[{ score: 0 }], 1],
    [[{ score: -1 }, { score: 0 }], 1],
    [[{ score: 0 }, { key: "tone", value: "thumbs_down" }], 2],
    [[{ value: false }], 1],
    [[{ score: 1 }, { value: "up" }, { key: "note", comment: "meh" }], 0],
  ])("%p makes %p findings", (feedback, count) => {
    const found = seen([{ name: "graph" }], feedback);
    expect(found.map(({ detector }) => detector)).toEqual(Array(count).fill("negative_feedback"));
  });

  test("on a span is told with its place and the comment", () => {
    const [one] = seen(
      [{ name: "graph" }, { name: "weather", type: "tool", node: "tools" }],
      [{ score: 0, span_id: "weather", comment: "wrong city" }],
    );
    expect(one).toMatchObject({
      tool: "weather",
      node: "tools",
      run_id: "weather",
      reason: "Somebody gave negative feedback under the key user_score: wrong city",
    });
  });
});

describe("outliers", () => {
  const usual = (count: number): Baseline => ({
    count,
    latency: { p50: 1_000, p95: 2_000, p99: 3_000 },
    tokens: { p50: 500, p95: 900, p99: 1_000 },
  });
  const run = (ms: number, tokens = 0): SpanMade[] => [
    { name: "graph", ms },
    { name: "crawl", type: "tool", ms: ms * 0.9, tokens },
  ];

  test("are told behind twice the 99th percentile, with the step that took it", () => {
    const [one] = seen(run(6_001), [], usual(200));
    expect(one).toMatchObject({
      detector: "slow_run",
      tool: "crawl",
      message: "The run takes far longer than usual",
    });
    expect(kinds(run(6_000), [], usual(200))).toEqual([]);
    expect(kinds(run(100, 2_001), [], usual(200))).toEqual(["token_outlier"]);
    expect(kinds(run(100, 2_000), [], usual(200))).toEqual([]);
  });

  test("are unknown before 200 runs, and for runs that did not go well", () => {
    expect(kinds(run(60_000), [], usual(199))).toEqual([]);
    expect(kinds([{ name: "graph", ms: 60_000, status: "interrupted" }], [], usual(200))).toEqual([]);
  });

  test("have to be slow for a person, too", () => {
    const quick = { ...usual(500), latency: { p50: 2, p95: 3, p99: 4 } };
    expect(kinds(run(900), [], quick)).toEqual([]);
    expect(kinds(run(1_001), [], quick)).toEqual(["slow_run"]);
  });
});

test("a trace without anything wrong has no finding", () => {
  expect(
    kinds([
      { name: "graph", outputs: { messages: [ai("It rains.")] } },
      { name: "agent", node: "agent" },
      {
        name: "model",
        in: "agent",
        type: "llm",
        outputs: { message: ai("It rains.") },
        metadata: { finish_reason: "stop" },
      },
      { name: "weather", in: "agent", type: "tool", outputs: { ...toolMessage("rain"), status: "success" } },
    ]),
  ).toEqual([]);
});
