import { expect } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import type { Shape } from "./shapes.ts";

type Values = { messages: { type: string; content: string }[] };

const human = (content: string) => ({ messages: [{ role: "user", content }] });

/** Two messages on one thread, a question, its answer, and what is left of it all, with each of the graphs. */
export async function converse(apiUrl: string, shape: Shape, key?: string): Promise<void> {
  const client = new Client({
    apiUrl,
    ...(key && { apiKey: key }),
    defaultHeaders: shape.headers,
    callerOptions: { maxRetries: 0 },
  });
  for (const graph of shape.graphs) {
    const { thread_id: thread } = await client.threads.create();
    const says = async (payload: object) => {
      const values = (await client.runs.wait(thread, graph, payload)) as Values;
      return values.messages?.at(-1)?.content;
    };
    expect(await says({ input: human("hello") })).toContain(shape.says.hello);
    expect(await says({ input: human("hello again") })).toContain(shape.says.again);
    expect(await streamed(client, thread, graph)).toContain("__interrupt__");
    expect(await client.threads.get(thread)).toMatchObject({ status: "interrupted" });
    expect(await says({ command: { resume: shape.answer } })).toContain(shape.says.done);
    const { values, next } = await client.threads.getState<Values>(thread);
    expect(next).toEqual([]);
    expect(values.messages.filter(({ type }) => type === "human")).toHaveLength(3);
    expect((await client.threads.getHistory(thread)).length).toBeGreaterThan(3);
  }
  if (shape.file) expect(await (await fetch(apiUrl + shape.file.path)).text()).toContain(shape.file.has);
}

/** Everything that a run streams that asks, as text. */
async function streamed(client: Client, thread: string, graph: string): Promise<string> {
  const parts: unknown[] = [];
  const input = human("send an email to ada@example.com");
  for await (const part of client.runs.stream(thread, graph, { input, streamMode: "updates" }))
    parts.push(part);
  return JSON.stringify(parts);
}
