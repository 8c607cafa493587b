import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { template } from "../berth-process.ts";
import { servedBerth } from "../served-berth.ts";
import { human, StreamHook } from "./use-stream.ts";

const apiKey = "the-service-key-of-this-test";
const env = { SERVICE_API_KEY: apiKey };

describe("Agent Inbox", () => {
  const berth = servedBerth({ project: join(import.meta.dir, "../shapes/projects/email-assistant"), env });
  const client = () => new Client({ apiUrl: berth.url, apiKey });
  const mail = { input: human("send a note") };

  /** A thread with a question, as the inbox finds it: by the graph's name or the assistant's id. */
  async function asked() {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "email", mail);
    const { assistant_id } = await client().assistants.get("email");
    const found = [{ graph_id: "email" }, { assistant_id }].map(async (metadata) => {
      const threads = await client().threads.search({
        ...{ offset: 0, limit: 100, status: "interrupted" as const, metadata },
      });
      return threads.find((thread) => thread.thread_id === thread_id);
    });
    const [byGraph, byAssistant] = await Promise.all(found);
    expect(byAssistant?.interrupts).toEqual(byGraph?.interrupts as never);
    const [question] = Object.values(byGraph?.interrupts ?? {}).flatMap(
      ([first]) => first?.value as object[],
    );
    expect(question).toMatchObject({
      action_request: { action: "send_email", args: { to: "ada@example.com" } },
      config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
      description: expect.stringContaining("# To ada@example.com"),
    });
    return thread_id;
  }

  const said = async (thread: string) => {
    const { values, next } = await client().threads.getState<{ messages: { content: string }[] }>(thread);
    return { last: values.messages.at(-1)?.content, next };
  };

  test("finds what waits, and each answer of it reaches the graph", async () => {
    const args = { action: "send_email", args: { to: "ada@example.com", body: "another text" } };
    for (const [answer, last] of [
      [{ type: "accept", args }, "Done: send a note (plain)"],
      [{ type: "edit", args }, "Done: another text"],
      [{ type: "ignore", args: null }, "Left alone"],
    ] as const) {
      const thread = await asked();
      const run = await client().runs.create(thread, "email", { command: { resume: [answer] } });
      await client().runs.join(thread, run.run_id);
      expect(await said(thread)).toEqual({ last, next: [] });
    }
  });

  test("a response streams as events, and what it teaches is in the store for the next question", async () => {
    const thread = await asked();
    const resume = [{ type: "response", args: "warmer" }];
    const streamed = client().runs.stream(thread, "email", { command: { resume }, streamMode: "events" });
    const seen: unknown[] = [];
    for await (const { event } of streamed) seen.push(event);
    expect(new Set(seen)).toEqual(new Set(["metadata", "events"]));
    expect(await said(thread)).toEqual({ last: "Next time: warmer", next: [] });
    await client().runs.wait(thread, "email", mail);
    const { tasks } = await client().threads.getState(thread);
    expect(JSON.stringify(tasks)).toContain("send a note (warmer)");
  });

  test("ignoring a thread ends it", async () => {
    const thread = await asked();
    await client().threads.updateState(thread, { values: null, asNode: "__end__" });
    expect((await said(thread)).next).toEqual([]);
    expect(await client().threads.get(thread)).toMatchObject({ status: "idle", interrupts: {} });
  });
});

describe("deep-agents-ui", () => {
  const berth = servedBerth({ project: template("deep-agent"), env });

  test("shows todos, asks for approvals in the spelling that it reads, and saves files", async () => {
    const client = new Client({
      ...{ apiUrl: berth.url, apiKey },
      defaultHeaders: { "x-auth-scheme": "langsmith" },
    });
    const [assistant] = await client.assistants.search({ graphId: "deep-agent" });
    const hook = new StreamHook(berth.url, assistant?.assistant_id ?? "", { apiKey });
    const config = { recursion_limit: 100 };
    await hook.stream.submit(human("research the sea") as never, { config });
    await hook.settled();
    expect(hook.stream.values.todos).toEqual([
      expect.objectContaining({ status: "completed" }),
      expect.objectContaining({ status: "completed" }),
    ]);

    await hook.stream.submit(human("send an email to ada@example.com") as never, { config });
    await hook.settled();
    expect(hook.stream.interrupt?.value).toMatchObject({
      action_requests: [{ name: "send_email", args: { to: "ada@example.com" } }],
      review_configs: [{ action_name: "send_email", allowed_decisions: expect.arrayContaining(["approve"]) }],
    });
    const resume = { decisions: [{ type: "approve" }] };
    await hook.stream.submit(null as never, { command: { resume } });
    await hook.settled();
    expect(hook.texts.at(-1)).toContain("The email went out.");

    const thread = hook.threadId ?? "";
    const files = { "/note.md": { content: ["hello"], created_at: "2026-01-01", modified_at: "2026-01-01" } };
    await client.threads.updateState(thread, { values: { files } });
    expect((await client.threads.getState<{ files: object }>(thread)).values.files).toMatchObject(files);
    expect(hook.errors).toEqual([]);
    hook.host.unmount();
  });
});
