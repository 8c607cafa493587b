import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { until } from "../condition.ts";
import { servedBerth } from "../served-berth.ts";
import { connect, wires } from "./mcp-client.ts";

const berth = servedBerth({ project: join(import.meta.dir, "project") });
const sdk = () => new Client({ apiUrl: berth.url });
type Values = { text: string; times?: number; thread: string; header: string };

const text = (text: string) => [{ type: "text" as const, text }];

describe.each(wires)("MCP %s", (wire) => {
  const connected = (headers: Record<string, string> = {}) => connect(berth.url, wire, headers);

  test("every assistant is a tool with its description and the schema of its input", async () => {
    await using connection = await connected();
    expect(connection.wire).toBe(wire);
    const { tools } = await connection.client.listTools();
    const tool = (name: string) => tools.find((one) => one.name === name);
    expect(tool("echo")).toMatchObject({
      title: "echo",
      description: "Gives back what it is given",
      inputSchema: {
        type: "object",
        properties: {
          text: { type: "string", description: "What to say" },
          times: { type: "integer", minimum: 1, maximum: 9 },
        },
      },
    });
    // Messages are described as a model would write them, without the other forms that a graph takes.
    expect(tool("steps")?.inputSchema).toMatchObject({
      properties: { messages: { type: "array", items: { required: ["role", "content"] } } },
    });
    expect(JSON.stringify(tool("steps"))).not.toContain("definitions");
  });

  test("a call gives the last message as text and the values as structured content", async () => {
    await using connection = await connected();
    const answer = await connection.client.callTool({
      name: "steps",
      arguments: { messages: [{ role: "user", content: "go" }] },
    });
    expect(answer.content).toEqual(text("three"));
    expect(answer.isError).not.toBe(true);
    expect(answer.structuredContent).toMatchObject({
      messages: ["go", "one", "two", "three"].map((content) => ({ content })),
    });
  });

  test("a graph without messages gives its values, runs on a thread of its own, and sees the headers", async () => {
    await using connection = await connected({ "x-colour": "blue", "x-api-key": "secret" });
    const call = { name: "echo", arguments: { text: "hey", times: 2 } };
    const values = (await connection.client.callTool(call)).structuredContent as Values;
    expect(values).toEqual({ text: "hey hey", times: 2, thread: expect.any(String), header: "blue" });
    const again = (await connection.client.callTool(call)).structuredContent as Values;
    expect(again.thread).not.toBe(values.thread);
    await expect(sdk().threads.get(String(values.thread))).rejects.toThrow("404");
  });

  test("what goes wrong inside is a result that says so; an unknown tool is an error", async () => {
    await using connection = await connected();
    const { client } = connection;
    const failed = await client.callTool({ name: "test_error_handling", arguments: {} });
    expect(failed).toMatchObject({
      isError: true,
      content: text("This tool intentionally returns an error for testing"),
    });
    const wrong = await client.callTool({ name: "echo", arguments: { text: "hey", times: 20 } });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.content)).toContain("times");
    await expect(client.callTool({ name: "nobody", arguments: {} })).rejects.toThrow("Unknown tool: nobody");
  });

  test("an interrupt is told with its question, and that a call cannot answer it", async () => {
    await using connection = await connected();
    const stopped = await connection.client.callTool({ name: "questions", arguments: {} });
    expect(stopped.isError).toBe(true);
    expect(stopped.content).toMatchObject([
      { type: "text", text: expect.stringContaining("colour?; size?") },
    ]);
    expect(stopped.structuredContent).toMatchObject({
      __interrupt__: [{ value: "colour?" }, { value: "size?" }],
    });
  });

  test("progress: each node is a step, unless the graph says itself how far it is", async () => {
    await using connection = await connected();
    const told = async (name: string) => {
      const seen: unknown[] = [];
      await connection.client.callTool({ name, arguments: {} }, { onprogress: (one) => seen.push(one) });
      return seen;
    };
    expect(await told("steps")).toEqual(
      ["first", "second", "third"].map((message, index) => ({ progress: index + 1, message })),
    );
    expect(await told("test_tool_with_progress")).toEqual(
      [0, 50, 100].map((progress) => ({ progress, total: 100, message: `${progress} of 100` })),
    );
    // Its question is no step.
    expect(await told("questions")).toEqual([]);
  });

  test("a call that is cancelled stops its run", async () => {
    const name = crypto.randomUUID();
    const state = async () => (await sdk().store.getItem(["slow"], name))?.value?.state;
    await using connection = await connected();
    const abort = new AbortController();
    const call = connection.client.callTool(
      { name: "slow", arguments: { name } },
      { signal: abort.signal, onprogress: () => abort.abort("enough") },
    );
    await expect(call).rejects.toThrow();
    expect(await until("the run is stopped", state, (now) => now === "stopped")).toBe("stopped");
  });

  test("assistants of the same name, and names that are not legal, get names of their own", async () => {
    const { assistants } = sdk();
    const names = ["Zwei Wörter & mehr", "Zwei Wörter & mehr", "日本", "x".repeat(200)];
    const made = [];
    for (const name of names) made.push(await assistants.create({ graphId: "echo", name }));
    await using connection = await connected();
    const { tools } = await connection.client.listTools();
    const legal = tools.map((tool) => tool.name);
    expect(new Set(legal).size).toBe(legal.length);
    for (const name of legal) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const twins = tools.filter(({ title }) => title === names[0]).map((tool) => tool.name);
    expect(twins).toEqual(["Zwei_W_rter_mehr", `Zwei_W_rter_mehr_${made[1]?.assistant_id.slice(-8)}`]);
    const second = await connection.client.callTool({ name: String(twins[1]), arguments: { text: "hi" } });
    expect(second.structuredContent).toMatchObject({ text: "hi" });
    for (const { assistant_id } of made) await assistants.delete(assistant_id);
  });

  test("calls go on side by side", async () => {
    await using connection = await connected();
    const calls = Array.from({ length: 20 }, (_, index) =>
      connection.client.callTool({ name: "echo", arguments: { text: `call ${index}` } }),
    );
    const answers = await Promise.all(calls);
    expect(answers.map(({ structuredContent }) => structuredContent)).toMatchObject(
      answers.map((_, index) => ({ text: `call ${index}` })),
    );
  });
});
