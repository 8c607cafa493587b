import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { named, openTracesRig, treeOf } from "./traces-rig.ts";

let rig: Awaited<ReturnType<typeof openTracesRig>>;

beforeAll(async () => {
  rig = await openTracesRig();
});

afterAll(async () => {
  await rig.close();
});

const ask = (content: string) => ({ messages: [{ role: "user", content }] });

describe("a run leaves a trace", () => {
  for (const stream_mode of [["values"], ["messages-tuple", "values"]]) {
    test.concurrent(`with its nodes and calls, in modes ${stream_mode}`, async () => {
      const run = await rig.run("calls", ask("hello"), { stream_mode });
      const { trace, spans } = await rig.trace(run);
      expect(trace).toMatchObject({ id: run.run_id, name: "calls", status: "success", error: null });
      expect(trace).toMatchObject({ input_tokens: 7, output_tokens: 3, total_tokens: 10 });
      expect(trace).toMatchObject({ thread_id: run.thread_id, span_count: 6, dropped_spans: 0 });
      expect(treeOf(spans).sort()).toEqual(
        [
          "chain calls success",
          "  chain think success",
          "    llm SpokenModel success",
          "  chain act success",
          "    tool weather success",
          "    tool weather error",
        ].sort(),
      );
    });
  }

  test.concurrent("that says what went in and came out, and where", async () => {
    const run = await rig.run("calls", ask("hello"), {
      metadata: { customer: "c-1" },
      config: { tags: ["t"] },
    });
    const { trace, spans } = await rig.trace(run);
    expect(trace.metadata).toMatchObject({ customer: "c-1", graph_id: "calls", attempt: 1 });
    expect(trace.tags).toEqual(["t"]);
    const [root] = spans.filter(({ id }) => id === run.run_id);
    expect(JSON.parse(root?.inputs ?? "")).toEqual(ask("hello"));
    expect(JSON.parse(root?.outputs ?? "").messages).toHaveLength(3);
    const model = named(spans, "SpokenModel");
    expect(JSON.parse(model.inputs ?? "").messages[0]).toMatchObject({ type: "human", content: "hello" });
    expect(JSON.parse(model.outputs ?? "").message).toMatchObject({
      ...{ type: "ai", content: "one two three", response_metadata: { finish_reason: "length" } },
    });
    expect(model).toMatchObject({ node: "think", input_tokens: 7, metadata: { finish_reason: "length" } });
    const failed = spans.find(({ status }) => status === "error");
    expect(failed).toMatchObject({
      ...{ node: "act", error: { type: "StationUnknown", message: "no station in Atlantis" } },
      metadata: { tool_call_id: "call-2" },
    });
    expect(JSON.parse(failed?.inputs ?? "")).toEqual({ city: "Atlantis" });
    for (const span of spans) {
      const above = spans.find(({ id }) => id === span.parent_id);
      expect(span.dotted_order).toEndWith(span.id);
      if (above) expect(span.dotted_order).toStartWith(`${above.dotted_order}.`);
    }
  });

  test.concurrent("whose first tokens have a time where they are streamed", async () => {
    for (const stream_mode of ["messages-tuple", "messages", "values"]) {
      const streamed = await rig.trace(await rig.run("calls", ask("hi"), { stream_mode: [stream_mode] }));
      expect(named(streamed.spans, "SpokenModel").first_token_time).toBe(rig.rig.now());
    }
    const whole = await rig.trace(await rig.run("calls", ask("whole")));
    expect(named(whole.spans, "SpokenModel").first_token_time).toBeNull();
  });

  test.concurrent("with the error of a model that fails, and its own", async () => {
    const run = await rig.run("calls", ask("fail"));
    const { trace, spans } = await rig.trace(run);
    const error = { type: "RangeError", message: "the model is tired" };
    expect(trace).toMatchObject({ status: "error", error });
    expect(named(spans, "SpokenModel")).toMatchObject({ status: "error", error });
    expect(named(spans, "think")).toMatchObject({ status: "error", error });
  });

  test.concurrent("in which graphs below tools and nodes are where they were called", async () => {
    const run = await rig.run("nested", ask("hello"));
    const { spans } = await rig.trace(run);
    const tool = [
      "    tool ask success",
      "      chain inner success",
      "        llm SpokenModel success",
      "      llm SpokenModel success",
    ];
    expect(treeOf(spans).sort()).toEqual(
      [
        ...["chain nested success", "  chain outer success", ...tool, ...tool],
        ...["  chain below success", "    chain inner success", "      llm SpokenModel success"],
      ].sort(),
    );
  });

  test.concurrent("with the tasks of the functional API", async () => {
    const { spans } = await rig.trace(await rig.run("flow", { value: 1 }));
    expect(treeOf(spans)).toEqual([
      "chain flow success",
      "  chain flow success",
      "    chain double success",
      "    chain double success",
    ]);
  });
});

describe("the end of a run is the end of its trace", () => {
  test.concurrent("an error has its class though it gave itself no name", async () => {
    const { trace, spans } = await rig.trace(await rig.run("ends", { how: "throws" }));
    const error = { type: "Nameless", message: "row 17 is broken" };
    expect(trace).toMatchObject({ status: "error", error });
    expect(named(spans, "end").error).toEqual(error);
  });

  test.concurrent("a question is no error", async () => {
    const { trace, spans } = await rig.trace(await rig.run("ends", { how: "asks" }));
    expect(trace).toMatchObject({ status: "interrupted", error: null });
    expect(named(spans, "end")).toMatchObject({ status: "interrupted", error: null });
  });

  test.concurrent("each try of a node is a span", async () => {
    const { trace, spans } = await rig.trace(await rig.run("ends", { how: "retries" }));
    expect(trace.status).toBe("success");
    const tries = spans.filter(({ name }) => name === "end");
    expect(tries.map(({ status }) => status).sort()).toEqual(["error", "success"]);
    expect(tries.find(({ status }) => status === "success")?.metadata).toMatchObject({ node_attempt: 2 });
  });

  test.concurrent("a run that is cancelled or takes too long closes what is open", async () => {
    const { agent } = rig;
    const waiting = await agent.threads.create({});
    const place = { threadId: waiting.thread_id, headers: {}, follow: "none" as const };
    const run = await agent.runs.create({ assistant_id: "ends", input: { how: "waits" } }, place);
    await agent.queue.cancel(run.run_id, "interrupt");
    expect((await rig.trace(run)).trace.status).toBe("cancelled");
    const short = await openTracesRig(undefined, { jobTimeoutMs: 200 });
    try {
      const { trace, spans } = await short.trace(await short.run("ends", { how: "waits" }));
      expect(trace).toMatchObject({ status: "timeout", error: { type: "TimeoutError" } });
      expect(spans.map(({ status }) => status)).not.toContain("pending");
    } finally {
      await short.close();
    }
  });
});

test("of a run of two thousand nodes and more, two thousand spans are kept, and how many are missing is said", async () => {
  const { trace, spans } = await rig.trace(await rig.run("long", ask("go")));
  expect(spans).toHaveLength(2_000);
  expect(trace).toMatchObject({ status: "success", dropped_spans: 51 });
  const root = spans.find(({ id }) => id === trace.id);
  expect(Buffer.byteLength(root?.outputs ?? "")).toBeLessThanOrEqual(32_768);
  expect(JSON.parse(root?.outputs ?? "").messages.at(-1).content).toBe("the last of 61");
});
