import { describe, expect, test } from "bun:test";
import { servedBerth } from "../served-berth.ts";
import { present } from "../stream-parts.ts";
import { human, StreamHook } from "./use-stream.ts";

const apiKey = "the-service-key-of-this-test";
const berth = servedBerth({ env: { SERVICE_API_KEY: apiKey } });
const headers = { "x-api-key": apiKey, "content-type": "application/json" };
/** As it sends every message. */
const submitted = { streamMode: ["values" as const], streamSubgraphs: true, streamResumable: true };

const post = async (path: string, body: unknown) =>
  (await fetch(berth.url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();

describe("Agent Chat UI", () => {
  test("looks whether the server is there, with its key", async () => {
    expect((await fetch(`${berth.url}/info`, { headers: { "X-Api-Key": apiKey } })).ok).toBe(true);
    expect((await fetch(`${berth.url}/info`, { headers: { "X-Api-Key": "another" } })).status).toBe(401);
  });

  test("finds the threads of a graph by its name and of an assistant by its id", async () => {
    const hook = new StreamHook(berth.url, "agent", { apiKey });
    await hook.stream.submit(human("hello"), submitted);
    await hook.settled();
    const { assistant_id } = await (await fetch(`${berth.url}/assistants/agent`, { headers })).json();
    for (const metadata of [{ graph_id: "agent" }, { assistant_id }]) {
      const threads = await post("/threads/search", { metadata, limit: 100 });
      expect(threads[0]).toMatchObject({
        thread_id: hook.threadId,
        values: { messages: [{ type: "human", content: "hello" }, {}, {}, {}] },
      });
    }
    hook.host.unmount();
  });

  test("an edit and a new answer start at the parent of what they replace", async () => {
    const hook = new StreamHook(berth.url, "agent", { apiKey });
    await hook.stream.submit(human("hello"), submitted);
    await hook.settled();
    const parentOf = (index: number) => {
      const message = present(hook.stream.messages[index]);
      return present(hook.stream.getMessagesMetadata(message, index)?.firstSeenState?.parent_checkpoint);
    };
    const regenerated = parentOf(1);
    await hook.stream.submit(undefined as never, { ...submitted, checkpoint: regenerated });
    await hook.settled();
    expect(hook.texts).toEqual(["hello", "begin", "tool_call__begin", "end"]);
    await hook.stream.submit(human("edited"), { ...submitted, checkpoint: parentOf(0) });
    await hook.settled();
    expect(hook.texts).toEqual(["edited", "begin", "tool_call__begin", "end"]);
    hook.host.unmount();
  });

  test("a question is answered with decisions; what is sent to end the conversation is taken", async () => {
    const ask = async () => {
      const hook = new StreamHook(berth.url, "interrupting", { apiKey });
      await hook.stream.submit({ where: "node" } as never, submitted);
      await hook.settled();
      expect(hook.stream.interrupt).toMatchObject({ value: { question: "node?" } });
      return hook;
    };
    const decided = await ask();
    const resume = { decisions: [{ type: "approve" }] };
    await decided.stream.submit(undefined as never, { ...submitted, command: { resume } });
    await decided.settled();
    expect(decided.stream.values).toMatchObject({ answer: resume });

    const ended = await ask();
    await ended.stream.submit(undefined as never, { ...submitted, command: { goto: "__end__" } });
    await ended.settled();
    // No node is at the end, so LangGraph goes on where the thread stopped: it asks again.
    expect(ended.stream.error).toBeUndefined();
    expect(ended.stream.interrupt).toMatchObject({ value: { question: "node?" } });
    const [run] = await (await fetch(`${berth.url}/threads/${ended.threadId}/runs`, { headers })).json();
    expect(run).toMatchObject({ status: "success", kwargs: { command: { goto: "__end__" } } });
    for (const hook of [decided, ended]) hook.host.unmount();
  });
});
