import { expect, test } from "bun:test";
import { until } from "./condition.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";

type Values = { messages: { content: string }[] };
type Strategy = "reject" | "enqueue" | "interrupt" | "rollback";

const berth = servedBerth();
const said = (content: string, sleep = 0) => ({ messages: [{ role: "human", content }], sleep });
const replies = ["begin", "tool_call__begin", "end"];

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });

  /** A thread whose first run sleeps in its first step, and a second run that comes in meanwhile. */
  const doubleText = async (strategy: Strategy | undefined, sleep: number) => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    const first = await client.runs.create(thread_id, "agent", { input: said("foo", sleep) });
    await until("the first run waits in its first step", async () => {
      return (await client.threads.getHistory(thread_id)).length >= 2;
    });
    const second = client.runs.create(thread_id, "agent", {
      input: said("bar"),
      ...(strategy && { multitaskStrategy: strategy }),
    });
    const status = async (run: { run_id: string }) => (await client.runs.get(thread_id, run.run_id)).status;
    const texts = async () => {
      const { values } = await client.threads.getState<Values>(thread_id);
      return values.messages.map(({ content }) => content);
    };
    return { client, thread_id, first, second, status, texts };
  };

  test.concurrent("reject: the second is refused, the first goes on to its end", async () => {
    const { client, thread_id, first, second, status, texts } = await doubleText("reject", 3);
    await expect(second).rejects.toThrow(/HTTP 409: .*already running/);
    await client.runs.join(thread_id, first.run_id);
    expect(await status(first)).toBe("success");
    expect(await client.runs.list(thread_id)).toHaveLength(1);
    expect(await texts()).toEqual(["foo", ...replies]);
  });

  for (const strategy of ["enqueue", undefined] as const) {
    test.concurrent(`enqueue${strategy ? "" : " is the default"}: one after the other`, async () => {
      const { client, thread_id, first, second, status, texts } = await doubleText(strategy, 3);
      const run = await second;
      expect([await status(first), await status(run)]).toEqual(["running", "pending"]);
      await client.runs.join(thread_id, run.run_id);
      expect([await status(first), await status(run)]).toEqual(["success", "success"]);
      expect(await texts()).toEqual(["foo", ...replies, "bar", ...replies]);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });
  }

  test.concurrent("interrupt: the first stops and what it saved stays, the second goes on from there", async () => {
    const { client, thread_id, first, second, status, texts } = await doubleText("interrupt", 3_600);
    const run = await second;
    await client.runs.join(thread_id, run.run_id);
    expect([await status(first), await status(run)]).toEqual(["interrupted", "success"]);
    expect(await texts()).toEqual(["foo", "bar", ...replies]);
  });

  test.concurrent("rollback: the first was never there", async () => {
    const { client, thread_id, first, second, status, texts } = await doubleText("rollback", 3_600);
    const run = await second;
    await client.runs.join(thread_id, run.run_id);
    expect(await status(run)).toBe("success");
    await expect(client.runs.get(thread_id, first.run_id)).rejects.toThrow(/HTTP 404/);
    expect(await texts()).toEqual(["bar", ...replies]);
    expect(await client.threads.getHistory(thread_id)).toHaveLength(5);
    expect((await client.runs.list(thread_id)).map(({ run_id }) => run_id)).toEqual([run.run_id]);
  });

  test.concurrent("several in the queue run in the order they came, and interrupt ends them all", async () => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    const texts = ["one", "two", "three", "four"];
    const runs = [];
    for (const text of texts)
      runs.push(await client.runs.create(thread_id, "agent", { input: said(text, 0.05) }));
    await client.runs.join(thread_id, runs.at(-1)?.run_id ?? "");
    const { values } = await client.threads.getState<Values>(thread_id);
    expect(values.messages.map(({ content }) => content)).toEqual(
      texts.flatMap((text) => [text, ...replies]),
    );

    const waiting = [];
    for (const text of texts)
      waiting.push(await client.runs.create(thread_id, "agent", { input: said(text, 3_600) }));
    const last = { input: said("last"), multitaskStrategy: "interrupt" as const };
    await client.runs.wait(thread_id, "agent", last);
    for (const { run_id } of waiting)
      expect((await client.runs.get(thread_id, run_id)).status).toBe("interrupted");
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });
});
