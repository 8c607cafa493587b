import { expect, test } from "bun:test";
import { template } from "./berth-process.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, present } from "./stream-parts.ts";

type Message = { id: string; type: string; content: string; tool_calls?: { id: string; name: string }[] };
type Values = { messages: Message[] };

const chat = servedBerth({ project: template("chat") });
const approval = servedBerth({ project: template("approval") });
const deepAgent = servedBerth({ project: template("deep-agent") });
const ask = (content: string) => ({ messages: [{ role: "human", content }] });

forEachSdk((Client) => {
  const newThread = async (url: string) => {
    const client = new Client({ apiUrl: url });
    const [assistant] = await client.assistants.search();
    const { assistant_id } = present(assistant, "assistant");
    return { client, assistant_id, thread_id: (await client.threads.create()).thread_id };
  };

  test("chat: the tokens are the answer", async () => {
    const { client, assistant_id, thread_id } = await newThread(chat.url);
    const parts = await collect(
      client.runs.stream(thread_id, assistant_id, {
        input: ask("Good morning"),
        streamMode: ["messages-tuple", "values"],
      }),
    );
    const answer = present(dataOf<Values>(parts, "values").at(-1)?.messages.at(-1));
    expect(answer.content).toContain("offline model");
    const tokens = dataOf<[Message]>(parts, "messages").flatMap(([message]) =>
      message.id === answer.id ? [message.content] : [],
    );
    expect(tokens.length).toBeGreaterThan(20);
    expect(tokens.join("")).toBe(answer.content);
  });

  test("approval: asks, waits, and goes on with the person's answer", async () => {
    const { client, assistant_id, thread_id } = await newThread(approval.url);
    const asked = await client.runs.wait(thread_id, assistant_id, {
      input: ask("send it to ada@example.com"),
    });
    expect(asked).toHaveProperty("__interrupt__");
    expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    const command = { resume: { type: "approve" } };
    const { messages } = (await client.runs.wait(thread_id, assistant_id, { command })) as Values;
    expect(messages.find(({ type }) => type === "tool")?.content).toContain("is on its way");
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });

  test("deep-agent: delegates to subagents, whose events carry their namespace", async () => {
    const { client, assistant_id, thread_id } = await newThread(deepAgent.url);
    const parts = await collect(
      client.runs.stream(thread_id, assistant_id, {
        input: ask("research owls"),
        streamMode: ["messages-tuple", "values", "updates"],
        streamSubgraphs: true,
      }),
    );
    expect(eventNames(parts)).not.toContain("error");
    const { messages } = present(dataOf<Values>(parts, "values").at(-1));
    const tasks = messages.flatMap(({ tool_calls = [] }) => tool_calls.filter(({ name }) => name === "task"));
    expect(tasks).toHaveLength(2);
    const spaces = new Set(
      eventNames(parts).flatMap((name) => (name.startsWith("messages|") ? [name.split("|")[1]] : [])),
    );
    expect([...spaces].filter((space) => space?.startsWith("tools:"))).toHaveLength(2);
    const state = await client.threads.getState<Values & { todos: unknown[] }>(thread_id);
    expect(state.next).toEqual([]);
    expect(state.values.todos.length).toBeGreaterThan(0);
  });
});
