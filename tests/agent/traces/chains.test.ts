import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Span, systemClock } from "@berth/store";
import { openTracesRig, treeOf } from "./traces-rig.ts";

let rig: Awaited<ReturnType<typeof openTracesRig>>;

beforeAll(async () => {
  rig = await openTracesRig();
});

afterAll(async () => {
  await rig.close();
});

/** The lines of a tree below one node. */
function below(lines: string[], node: string): string[] {
  const at = lines.findIndex((line) => line.startsWith(`  chain ${node} `));
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("    "));
  return (end < 0 ? rest : rest.slice(0, end)).map((line) => line.slice(4));
}

for (const stream_mode of [["values"], ["messages-tuple", "values"]]) {
  test(`chains that nodes and tools call are spans, in modes ${stream_mode}`, async () => {
    const run = await rig.run("chains", { messages: [] }, { stream_mode });
    const { trace, spans } = await rig.trace(run);
    expect(trace.status).toBe("success");
    const lines = treeOf(spans);
    expect(below(lines, "many")).toEqual(Array(200).fill("chain double success"));
    // What began in one millisecond has no order of its own.
    expect(below(lines, "kinds").sort()).toEqual(
      [
        "chain RunnableSequence success",
        "  prompt ChatPromptTemplate success",
        "  llm SpokenModel success",
        "  parser StrOutputParser success",
        "chain RunnableMap success",
        "  chain double success",
        "  chain double success",
        "chain double error",
      ].sort(),
    );
    expect(below(lines, "streams").filter((line) => !line.startsWith(" "))).toEqual([
      "chain RunnableSequence success",
    ]);
    expect(below(lines, "streams")).toContainEqual(expect.stringMatching(/^ +llm SpokenModel success$/));
    // A chain that is a node is not in it once more.
    expect(below(lines, "itself")).toEqual([]);
    const failed = spans.find(({ status }) => status === "error");
    expect(failed).toMatchObject({
      node: "kinds",
      error: { type: "RangeError", message: "no double of -1" },
    });
    const sequence = spans.filter(({ name }) => name === "RunnableSequence");
    expect(sequence.map(({ outputs }) => outputs)).toEqual(Array(2).fill('"one two three"'));
  });
}

test("tools that are called side by side have the time of each, and what it called in it", async () => {
  const real = await openTracesRig(undefined, {}, systemClock);
  try {
    const { spans } = await real.trace(await real.run("chains", { messages: [] }));
    const tools = spans.filter(({ run_type }) => run_type === "tool");
    const took = ({ start_time, end_time }: Span) => (end_time ?? 0) - start_time;
    const byId = Object.fromEntries(tools.map((span) => [String(span.metadata.tool_call_id), took(span)]));
    expect(byId["c-1"]).toBeGreaterThanOrEqual(295);
    expect(byId["c-2"]).toBeGreaterThanOrEqual(25);
    expect(byId["c-3"]).toBeGreaterThanOrEqual(145);
    expect(byId["c-2"]).toBeLessThan(byId["c-3"] ?? 0);
    expect(byId["c-3"]).toBeLessThan(byId["c-1"] ?? 0);
    for (const { id } of tools)
      expect(spans.filter(({ parent_id }) => parent_id === id).map(({ name }) => name)).toEqual(["double"]);
  } finally {
    await real.close();
  }
});
