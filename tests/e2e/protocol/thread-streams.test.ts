import { expect, test } from "bun:test";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { present } from "../stream-parts.ts";
import { forEachClient } from "./chat-client.ts";
import { servedProtocol } from "./served-protocol.ts";
import { textOf, type WireMessage } from "./wire-event.ts";

const { berth } = servedProtocol();
const input = { messages: [{ type: "human", content: "words 12" }] };

/** Whatever it is must settle in time. */
function within<T>(what: string, promise: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what}: not within ${WAIT_LIMIT_MS} ms`)),
    WAIT_LIMIT_MS,
  );
  return Promise.race([Promise.resolve(promise), late.promise]).finally(() => clearTimeout(timer));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const textsOf = (output: unknown) => (output as { messages: WireMessage[] }).messages.map(textOf);

forEachClient(berth, (client) => {
  const stream = (assistant: string) => client.thread(crypto.randomUUID(), assistant);

  test("[50] chat: messages, values and output settle", async () => {
    const thread = stream("chat");
    const messages = all(thread.messages);
    const values = all(thread.values);
    await thread.run.start({ input });
    const words = Array.from({ length: 12 }, (_, n) => `w${n}`).join(" ");
    expect(textsOf(await within("output", thread.output))).toEqual(["words 12", words]);
    const [answer, ...others] = await within("messages", messages);
    expect(others).toEqual([]);
    expect(await within("text", present(answer).text)).toBe(words);
    expect((await within("values", values)).length).toBeGreaterThanOrEqual(2);
    expect(thread.interrupted).toBe(false);
    await thread.close();
  });

  test("[23] [50] tool: no message is lost, toolCalls settle with what the tool gave", async () => {
    const thread = stream("tool");
    const calls = all(thread.toolCalls);
    const messages = all(thread.messages);
    await thread.run.start({ input: { messages: [{ type: "human", content: "weather" }] } });
    expect(textsOf(await within("output", thread.output)).at(-1)).toBe("It is: Sunny in Paris on the Seine");
    const found = await within("calls", calls);
    expect(new Set(found.map(({ callId }) => callId))).toEqual(new Set(["call_1"]));
    const [call] = found;
    expect(call).toMatchObject({ name: "get_weather", input: { city: "Paris on the Seine" } });
    expect(JSON.stringify(await within("its output", present(call).output))).toContain("Sunny in Paris");
    const [asking, answer, ...others] = await within("messages", messages);
    expect(others).toEqual([]);
    expect(await within("text", present(asking).text)).toBe("Checking. ");
    expect(await within("calls", present(asking).toolCalls)).toMatchObject([
      { id: "call_1", name: "get_weather", args: { city: "Paris on the Seine" } },
    ]);
    expect(await within("text", present(answer).text)).toBe("It is: Sunny in Paris on the Seine");
    await thread.close();
  });

  test("[50] deep: subagents settle, each with its messages", async () => {
    const thread = stream("deep");
    const subagents = all(thread.subagents);
    await thread.run.start({ input: { messages: [{ type: "human", content: "go" }] } });
    await within("output", thread.output);
    const found = await within("subagents", subagents);
    expect(found.map(({ name }) => name).sort()).toEqual(["math-whiz", "researcher"]);
    for (const { taskInput, output } of found) {
      expect(await within("task", taskInput)).toMatch(/^Research .* for question 1$/);
      expect(JSON.stringify(await within("its output", output))).toContain("Findings: results for Research");
    }
    await thread.close();
  });

  test("[50] interrupt: interrupted, with its question; the answer goes on to the output", async () => {
    const thread = stream("interrupt");
    await thread.run.start({ input: { messages: [{ type: "human", content: "go" }] } });
    await within("the end of the first run", thread.output);
    expect(thread.interrupted).toBe(true);
    expect(thread.interrupts).toMatchObject([{ payload: { question: "ok?", text: "draft" }, namespace: [] }]);
    const [asked] = thread.interrupts;
    const { interruptId, namespace } = present(asked);
    await thread.input.respond({ interrupt_id: interruptId, namespace, response: "yes" });
    const again = client.thread(thread.threadId, "interrupt");
    const { values } = await within("state", again.state.get({ namespace: [] }));
    expect(Object.keys(values as object)).toContain("log");
    await Promise.all([thread.close(), again.close()]);
  });

  test("[50] error: the output settles, and the next run works", async () => {
    const thread = stream("error");
    await thread.run.start({ input: { messages: [{ type: "human", content: "go" }] } });
    await within(
      "output",
      thread.output.catch((error: unknown) => error),
    );
    const next = client.thread(thread.threadId, "error");
    await next.run.start({ input: { messages: [{ type: "human", content: "fine" }] } });
    await Promise.all([thread.close(), next.close()]);
  });

  test("[50] custom: an extension gets what is written under its name", async () => {
    const thread = stream("custom");
    const steps = all(present(thread.extensions.steps));
    await thread.run.start({ input: { messages: [{ type: "human", content: "go" }] } });
    expect(await within("steps", steps)).toEqual([{ n: 1 }]);
    await thread.close();
  });

  test("[50] the tree of a run and a state can be asked for", async () => {
    const thread = stream("subgraph");
    const { run_id } = await thread.run.start({ input: { messages: [{ type: "human", content: "go" }] } });
    await within("output", thread.output);
    const { tree } = await within("tree", thread.agent.getTree({ run_id }));
    expect(tree).toMatchObject({ namespace: [], graph_name: "subgraph", status: "completed" });
    const { values } = await within("state", thread.state.get({ namespace: [] }));
    expect(textsOf(values)).toEqual(["go", "inner says hi"]);
    const { checkpoints } = await within("list", thread.state.listCheckpoints({ namespace: [], limit: 2 }));
    expect(checkpoints).toHaveLength(2);
    await thread.close();
  });
});
