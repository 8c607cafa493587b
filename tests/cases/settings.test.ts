import { expect, test } from "bun:test";
import { describeCase } from "./case.ts";
import { CaseThread, type Result } from "./runs.ts";

describeCase("python/run-semantics", (served) => {
  const seen = async (graph: string, payload: object): Promise<unknown> =>
    (await new CaseThread(served, graph).wait({ input: {}, ...payload })).seen;

  test("configurable values fill the context, and keys that its schema does not have are ignored", async () => {
    const config = { configurable: { model: "m", other: 1 } };
    const context = { model: "m", other: 1 };
    expect(await seen("context", {})).toBe("Settings(model='default', size=0)");
    for (const given of [{ config }, { context }]) {
      expect(await seen("context", given)).toBe("Settings(model='m', size=0)");
      expect(await seen("typed_context", given)).toBe("{'model': 'm'}");
      expect(await seen("any_context", given)).toBe("{'model': 'm', 'other': 1}");
    }
    const both = { config, context: { model: "c", size: 2 } };
    expect(await seen("context", both)).toBe("Settings(model='c', size=2)");
    expect(await seen("any_context", {})).toBe("None");
  });

  test("those of an assistant, too, below those of the run; nothing of the request", async () => {
    const { client } = new CaseThread(served, "context");
    const { assistant_id } = await client.assistants.create({
      graphId: "context",
      config: { configurable: { model: "a", size: 1 } },
    });
    const config = { configurable: { size: 2 } };
    expect(await seen(assistant_id, { config })).toBe("Settings(model='a', size=2)");
    const headers = { ...served.headers, "content-type": "application/json", "x-model": "h" };
    const body = JSON.stringify({ assistant_id: "any_context", input: {} });
    const response = await fetch(`${served.url}/runs/wait`, { method: "POST", headers, body });
    expect(((await response.json()) as Result).seen).toBe("None");
  });

  test("config.metadata and configurable values are in the checkpoints, and history is filtered by them", async () => {
    const thread = new CaseThread(served, "context");
    const configurable = { who: "me", deep: { x: 1 }, my_token: "t", long: "x".repeat(2_000) };
    const config = { metadata: { customer: 7, nested: { a: [1] } }, configurable };
    await thread.wait({ input: {}, config, metadata: { own: "r" } });
    await thread.wait({ input: {}, config: { configurable: { who: "you" } } });
    const id = await thread.id();
    const count = async (metadata: object) =>
      (await thread.client.threads.getHistory(id, { metadata: metadata as never, limit: 100 })).length;
    const all = await count({});
    for (const filter of [
      { who: "me" },
      { customer: 7 },
      { nested: { a: [1] } },
      { deep: { x: 1 } },
      { own: "r" },
    ])
      expect(await count(filter)).toBe(all / 2);
    expect(await count({ customer: 8 })).toBe(0);
    const history = await thread.client.threads.getHistory(id, { limit: 100 });
    for (const name of ["my_token", "long", "user-agent"])
      expect(history.at(-1)?.metadata).not.toHaveProperty(name);
    const [run] = await thread.client.runs.list(id, { limit: 1, offset: 1 });
    expect(run?.metadata).toMatchObject({ customer: 7, own: "r" });
    expect(JSON.stringify(run)).not.toContain("configured");
  });

  test("a refused answer leaves the interrupt open; the error of the task is the text of the exception", async () => {
    const thread = new CaseThread(served, "validated");
    const [asked] = (await thread.wait({ input: { got: [] } })).__interrupt__ ?? [];
    const refused = await thread.wait({ command: { resume: "bad" } });
    const message = "'bad' is no number";
    expect(refused).toEqual({ __error__: { error: "TypeError", message } });
    const { status, interrupts } = await thread.get();
    expect(status).toBe("error");
    expect(Object.values(interrupts ?? {}).flat() as object[]).toEqual([asked as object]);
    const { tasks } = await thread.state();
    expect(tasks).toMatchObject([{ error: `TypeError("${message}")`, interrupts: [asked] }]);
    const history = await thread.client.threads.getHistory(await thread.id());
    expect(history[0]?.tasks).toMatchObject([{ error: `TypeError("${message}")` }]);
  });

  test("two tools that ask in one step receive their own answers by the ids of their interrupts", async () => {
    const input = { messages: [{ role: "user", content: "hi" }] };
    const agent = new CaseThread(served, "agent_questions");
    const both = (await agent.wait({ input })).__interrupt__ ?? [];
    // Tools run in threads, so that either may ask first.
    expect(both.map(({ value }) => value).toSorted()).toEqual(["first", "second"]);
    const resume = Object.fromEntries(both.map(({ id, value }) => [id, `answer to ${value}`]).toReversed());
    const done = (await agent.wait({ command: { resume } })) as { messages?: { content: string }[] };
    expect(done.messages?.at(-1)?.content).toBe("first: answer to first | second: answer to second");
  });
});
