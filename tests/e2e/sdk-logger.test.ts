import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { until } from "./condition.ts";

const project = join(import.meta.dir, "logging-project");

type Line = { level: string; area: string; message: string; [field: string]: unknown };

/** What the project said, out of all that the process printed. */
const linesIn = (output: string): Line[] =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes('"area":"graph"'))
    .map((line) => JSON.parse(line) as Line);

test("getLogger() of the SDK writes into our log, with the run, the graph and the node", async () => {
  const berth = await start({ project, env: { LOG_LEVEL: "debug" } });
  try {
    const client = new Client({ apiUrl: berth.url });
    const thread = await client.threads.create();
    const run = await client.runs.create(thread.thread_id, "agent", { input: { messages: [] } });
    await client.runs.join(thread.thread_id, run.run_id);
    const said = await until(
      "the lines",
      async () => linesIn(berth.output()),
      (lines) => lines.length >= 5,
    );
    const caller = { run: run.run_id, thread: thread.thread_id, graph: "agent", node: "speak" };
    expect(said.map(({ level, message }) => [level, message.split("\n", 1)[0]])).toEqual([
      ["info", "loading {braces}"],
      ["debug", "chained"],
      ["warning", "in a node"],
      ["error", "one object"],
      ["error", "Error: thrown away"],
    ]);
    expect(said[0]).toMatchObject({ part: "agent" });
    expect(said[0]).not.toHaveProperty("run");
    expect(said[2]).toMatchObject({ ...caller, apiKey: "***", circle: expect.stringContaining("12n") });
    expect(said[3]).toMatchObject({ ...caller, code: 7 });
    expect(said[4]).toMatchObject(caller);
  } finally {
    await berth.stop();
  }
});

test("and so it does under dev and in the check of a build", async () => {
  const berth = await start({ project, command: "dev", env: { LOG_LEVEL: "info" } });
  const output = berth.output();
  await berth.stop();
  expect(linesIn(output).map(({ message }) => message)).toEqual(["loading {braces}"]);
  const { code, stdout } = await berthCommand(["check", "--project", join(project, "graph.json")]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^info: loading \{braces\}$/m)]);
  expect(stdout).toContain('berth-check: {"graphs":["agent"]');
});
