import { describe, expect, test } from "bun:test";
import { BEGIN, dataOf, foldOf, framesOf, lifecycleOf, RUN, token, told } from "./frames.ts";

const AGENT = "agent:11111111-0000-7000-8000-000000000001";
const OTHER = "agent:11111111-0000-7000-8000-000000000002";
const END: [string, unknown] = ["end", { status: "success" }];

const call = (index: number, args: string, more: object = {}) => ({
  tool_call_chunks: [{ index, args, ...more }],
});

const texts = (messages: Record<string, unknown>[]) =>
  messages.map(({ event, id, delta, content }) => {
    const part = (delta ?? content) as { text?: string; args?: unknown } | undefined;
    return [event, id ?? part?.text ?? part?.args].filter((one) => one !== undefined).join(" ");
  });

describe("messages", () => {
  test("tokens become one text block that is opened, grown and closed", () => {
    const events = told(
      framesOf([
        ...BEGIN,
        token("m1", "Hel", AGENT),
        token("m1", "", AGENT),
        token("m1", "lo", AGENT, {
          usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
        }),
        ["messages/finish", { id: "m1" }],
        END,
      ]),
    );
    expect(texts(dataOf(events, "messages"))).toEqual([
      "message-start m1",
      "content-block-start ",
      "content-block-delta Hel",
      "content-block-delta lo",
      "content-block-finish Hello",
      "message-finish",
    ]);
    expect(dataOf(events, "messages").at(-1)).toMatchObject({
      reason: "stop",
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    });
    expect(events.find(({ method }) => method === "messages")?.params).toMatchObject({
      namespace: [AGENT],
      node: "agent",
      timestamp: 1_002,
    });
  });

  test("arguments of a call are told whole each time, and parsed at the end", () => {
    const args = JSON.stringify({ city: "Paris on the Seine", days: [1, 2, 3], units: "metric" });
    const pieces = args.match(/.{1,5}/gs) ?? [];
    const events = told(
      framesOf([
        ...BEGIN,
        token("m1", "Checking. ", AGENT),
        token("m1", "", AGENT, call(1, "", { id: "call_1", name: "get_weather" })),
        ...pieces.map((piece) => token("m1", "", AGENT, call(1, piece))),
        ["messages/finish", { id: "m1" }],
        END,
      ]),
    );
    const all = dataOf(events, "messages");
    const grown = all.flatMap(({ delta }) => {
      const { type, fields } = (delta ?? {}) as { type?: string; fields?: { args: string } };
      expect(type).not.toBe("tool-call-delta");
      return fields ? [fields.args] : [];
    });
    expect(grown.length).toBeGreaterThan(1);
    for (const [index, so] of grown.entries()) {
      expect(args.startsWith(so)).toBe(true);
      expect(so.length).toBeGreaterThan(grown[index - 1]?.length ?? 0);
    }
    expect(grown.at(-1)).toBe(args);
    const finishes = all.filter(({ event }) => event === "content-block-finish");
    expect(finishes).toMatchObject([
      { index: 0, content: { type: "text", text: "Checking. " } },
      {
        index: 1,
        content: { type: "tool_call", id: "call_1", name: "get_weather", args: JSON.parse(args) },
      },
    ]);
  });

  test("arguments that are not JSON end as an invalid call", () => {
    const events = told(
      framesOf([
        ...BEGIN,
        token("m1", "", AGENT, call(0, '{"city":', { id: "c", name: "get" })),
        ["messages/finish", { id: "m1" }],
        END,
      ]),
    );
    const finish = dataOf(events, "messages").find(({ event }) => event === "content-block-finish");
    expect(finish).toMatchObject({ content: { type: "invalid_tool_call", id: "c", args: '{"city":' } });
  });

  test("the arguments of a long call are told in few events", () => {
    const args = JSON.stringify({ text: "x".repeat(20_000) });
    const events = told(
      framesOf([
        ...BEGIN,
        token("m1", "", AGENT, call(0, "", { id: "c", name: "write" })),
        ...(args.match(/.{1,4}/gs) ?? []).map((piece) => token("m1", "", AGENT, call(0, piece))),
        ["messages/finish", { id: "m1" }],
        END,
      ]),
    );
    const told20k = dataOf(events, "messages").reduce((sum, data) => sum + JSON.stringify(data).length, 0);
    expect(told20k).toBeLessThan(40 * args.length);
  });

  test("models that speak side by side in one node do not mix", () => {
    const events = told(
      framesOf([
        ...BEGIN,
        token("a", "a0 ", AGENT),
        token("b", "b0 ", AGENT),
        token("a", "a1", AGENT),
        token("c", "c0", AGENT),
        token("b", "b1", AGENT),
        ["messages/finish", { id: "b" }],
        ["messages/finish", { id: "a" }],
        ["messages/finish", { id: "c" }],
        END,
      ]),
    );
    const lines = texts(dataOf(events, "messages"));
    const spoken: string[] = [];
    for (const line of lines) {
      const [event, text = ""] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)];
      if (event === "message-start") spoken.push(`${text}: `);
      else if (event === "content-block-delta") spoken.push(`${spoken.pop()}${text}`);
    }
    expect(spoken).toEqual(["a: a0 a1", "b: b0 b1", "c: c0"]);
    expect(lines.filter((line) => line === "message-finish")).toHaveLength(3);
  });

  test("models in different tasks are told as they speak", () => {
    const events = told(
      framesOf([
        ...BEGIN,
        token("a", "a0", AGENT),
        token("b", "b0", OTHER),
        token("a", "a1", AGENT),
        token("b", "b1", OTHER),
      ]),
    );
    const heard = events.flatMap(({ method, params }) =>
      method === "messages" && params.data.delta ? [(params.data.delta as { text: string }).text] : [],
    );
    expect(heard).toEqual(["a0", "b0", "a1", "b1"]);
  });

  test("what people and tools say is no message event", () => {
    const said = (type: string): [string, unknown] => [
      "messages",
      [{ type, id: type, content: "x", tool_call_id: "c" }, { langgraph_checkpoint_ns: AGENT }],
    ];
    const events = told(framesOf([...BEGIN, said("human"), said("tool"), said("ai"), END]));
    expect(dataOf(events, "messages").filter(({ event }) => event === "message-start")).toMatchObject([
      { id: "ai" },
    ]);
  });

  test("an attempt that is lost closes what it was saying and takes it back", () => {
    const events = told(
      framesOf([
        ...BEGIN,
        ["values", { messages: [{ type: "human", id: "h", content: "hi" }] }],
        token("lost", "half a", AGENT),
        ["metadata", { run_id: RUN, attempt: 2 }],
        ["values", { messages: [{ type: "human", id: "h", content: "hi" }] }],
        token("kept", "whole", AGENT),
        ["messages/finish", { id: "kept" }],
        [
          "values",
          {
            messages: [
              { type: "human", id: "h", content: "hi" },
              { type: "ai", id: "kept", content: "whole" },
            ],
          },
        ],
        END,
      ]),
    );
    const messages = dataOf(events, "messages");
    const at = messages.findIndex(({ event }) => event === "error");
    expect(messages[at]).toMatchObject({ code: "attempt_lost", message: expect.any(String) });
    expect(messages.slice(0, at).some(({ event }) => event === "message-finish")).toBe(false);
    expect(messages[at + 1]).toMatchObject({ event: "message-start", id: "kept" });
    const ids = dataOf(events, "values").map(({ messages: all }) =>
      (all as { id: string }[]).map(({ id }) => id),
    );
    const withdrawn = ids.findIndex((all) => all.includes("lost"));
    expect(withdrawn).toBeGreaterThan(0);
    expect(ids.slice(withdrawn + 1).every((all) => !all.includes("lost"))).toBe(true);
    expect(ids.length).toBeGreaterThan(withdrawn + 1);
    expect(lifecycleOf(events).filter((line) => line.startsWith(" "))).toEqual([" running", " completed"]);
  });
});

describe("lifecycle", () => {
  const task = (id: string, name: string, more: object): [string, unknown] => [
    "tasks",
    { id, name, interrupts: [], ...more },
  ];

  test("the root's events carry the run in their ids", () => {
    const events = told(framesOf([...BEGIN, END], RUN, 7));
    expect(events.map(({ event_id }) => event_id)).toEqual([
      expect.stringMatching(new RegExp(`^synth:${RUN}:running:8\\d{6}$`)),
      expect.stringMatching(new RegExp(`^synth:${RUN}:completed:9\\d{6}$`)),
    ]);
    expect(dataOf(events, "lifecycle")).toMatchObject([
      { event: "running", graph_name: "chat" },
      { event: "completed", graph_name: "chat" },
    ]);
  });

  test.each([
    [{ status: "success" }, "completed"],
    [{ status: "success", stopped: true }, "interrupted"],
    [{ status: "interrupted" }, "interrupted"],
    [{ status: "error" }, "failed"],
    [{ status: "timeout" }, "failed"],
  ])("an end as %p is told as %s", (end, event) => {
    const failed: [string, unknown][] =
      event === "failed" ? [["error", { error: "Error", message: "kaboom" }]] : [];
    const data = dataOf(told(framesOf([...BEGIN, ...failed, ["end", end]])), "lifecycle").at(-1);
    expect(data).toMatchObject({ event, ...(event === "failed" && { error: "kaboom" }) });
  });

  test("namespaces start from the outside, once, and end behind the result of their task", () => {
    const [outer, inner] = ["research:u1", "think:u2"];
    const events = told(
      framesOf([
        ...BEGIN,
        task("u1", "research", { input: {}, triggers: [] }),
        token("m", "hi", `${outer}|${inner}`),
        [`tasks|${outer}`, { id: "u2", name: "think", result: {}, interrupts: [] }],
        [`values|${outer}`, { messages: [] }],
        ["updates", { research: { messages: [] } }],
        task("u1", "research", { result: {} }),
        ["checkpoint", { id: "c", step: 1, source: "loop" }],
        ["values", { messages: [] }],
        END,
      ]),
    );
    expect(
      events.map(({ method, params }) =>
        method === "lifecycle"
          ? `${params.namespace.length} ${params.data.event}`
          : `${params.namespace.length} ${method}`,
      ),
    ).toEqual([
      "0 running",
      "0 tasks",
      "1 started",
      "2 started",
      ...Array.from({ length: 5 }, () => "2 messages"),
      "1 tasks",
      "2 completed",
      "1 values",
      "0 updates",
      "0 tasks",
      "1 completed",
      "0 checkpoints",
      "0 values",
      "0 completed",
    ]);
  });
});

test("an update is a node and what it gave; an interrupt in it is told as such", () => {
  const asked = [{ id: "a".repeat(32), value: { question: "ok?" } }];
  const events = told(
    framesOf([
      ...BEGIN,
      ["updates", { one: { x: 1 }, two: "text" }],
      ["updates", { __interrupt__: asked }],
      ["values", { __interrupt__: asked }],
      ["values", { x: 1, __interrupt__: asked }],
      ["end", { status: "success", stopped: true }],
    ]),
  );
  expect(dataOf(events, "updates")).toEqual([
    { node: "one", values: { x: 1 } },
    { node: "two", values: { value: "text" } },
  ]);
  expect(dataOf(events, "input.requested")).toEqual([
    { interrupt_id: "a".repeat(32), payload: { question: "ok?" }, value: { question: "ok?" } },
  ]);
  expect(dataOf(events, "values")).toEqual([{ x: 1 }]);
});

test("a run that answers questions says which", () => {
  const start: [string, unknown] = ["start", { graph_id: "chat", answers: ["id-1", "id-2"] }];
  const events = told(framesOf([start, ["metadata", { run_id: RUN, attempt: 1 }], END]));
  expect(events.map(({ method }) => method)).toEqual(["lifecycle", "input.answered", "lifecycle"]);
  expect(dataOf(events, "input.answered")).toEqual([{ interrupt_ids: ["id-1", "id-2"] }]);
});

test("a frame that nobody knows says nothing", () => {
  const unknown: [string, unknown][] = [
    ["debug", { type: "task" }],
    ["feedback", {}],
    ["nonsense|here:1", { x: 1 }],
    ["", {}],
  ];
  const known = foldOf(framesOf([...BEGIN, END]));
  const more = foldOf(framesOf([...BEGIN, ...unknown, END]));
  expect(more.map(({ method }) => method)).toEqual(known.map(({ method }) => method));
});
