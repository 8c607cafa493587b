import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { type Client, forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, type Part, present, runIdOf, told } from "./stream-parts.ts";

type Values = { messages: { content: string }[] };

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const aDay = 86_400_000;

/** The run of a thread, once it stands as wanted. */
function untilRun(client: Client, thread_id: string, status: string) {
  return until(
    `the run is ${status}`,
    async () => (await client.runs.list(thread_id))[0],
    (run) => run?.status === status,
  );
}

forEachSdk((Client) => {
  const newThread = async () => {
    const client = new Client({ apiUrl: berth.url });
    return { client, thread_id: (await client.threads.create()).thread_id };
  };

  test("whatever a message holds arrives as it was sent", async () => {
    const { client, thread_id } = await newThread();
    const content = `a\r\nb\n\n: c\ndata: d\u2028\u2029\u0000😀 ${"é".repeat(70_000)}`;
    const parts = await collect(
      client.runs.stream(thread_id, "agent", { input: { messages: [{ role: "human", content }] } }),
    );
    const last = present(dataOf<Values>(parts, "values").at(-1));
    expect(last.messages[0]?.content === content).toBe(true);
    const { values } = await client.threads.getState<Values>(thread_id);
    expect(values.messages[0]?.content === content).toBe(true);
  });

  describe("a stream of a run that waits", () => {
    test("until its time comes: first nothing, then everything", async () => {
      const { client, thread_id } = await newThread();
      const startedAt = Date.now();
      const parts = await collect(client.runs.stream(thread_id, "agent", { input, afterSeconds: 0.3 }));
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(300);
      expect(eventNames(parts)).toEqual(["metadata", "values", "values", "values", "values"]);
    });

    test("behind another run of the thread: it begins when that one has ended", async () => {
      const { client, thread_id } = await newThread();
      const first = await client.runs.create(thread_id, "delay", { input: { ...input, delay: 200 } });
      const parts = await collect(client.runs.stream(thread_id, "delay", { input: { ...input, delay: 1 } }));
      expect((await client.runs.get(thread_id, first.run_id)).status).toBe("success");
      const texts = dataOf<Values>(parts, "values").map(({ messages }) => messages.length);
      expect(texts).toEqual([3, 4]);
    });
  });

  describe("ends with its run when", () => {
    const open = async (payload: object) => {
      const { client, thread_id } = await newThread();
      const stream = collect(client.runs.stream(thread_id, "delay", payload));
      return { client, thread_id, stream };
    };

    test("a pending run is cancelled", async () => {
      const { client, thread_id, stream } = await open({ input, afterSeconds: 3_600 });
      const run = await untilRun(client, thread_id, "pending");
      await client.runs.cancel(thread_id, present(run).run_id);
      expect(await stream).toMatchObject([told("interrupt")]);
    });

    test("a run is rolled back", async () => {
      const { client, thread_id, stream } = await open({ input: { ...input, delay: aDay } });
      const run = present(await untilRun(client, thread_id, "running"));
      await client.runs.cancel(thread_id, run.run_id, false, "rollback");
      expect((await stream).at(-1)).toMatchObject(told("rollback"));
      await until("the run is gone", () =>
        client.runs.get(thread_id, run.run_id).then(
          () => false,
          () => true,
        ),
      );
    });

    test("a running run is deleted", async () => {
      const { client, thread_id, stream } = await open({ input: { ...input, delay: aDay } });
      const run = present(await untilRun(client, thread_id, "running"));
      await client.runs.delete(thread_id, run.run_id);
      expect((await stream).at(-1)).toMatchObject(told("rollback"));
      await expect(client.runs.get(thread_id, run.run_id)).rejects.toThrow(/HTTP 404/);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });

    test("its thread is deleted", async () => {
      const { client, thread_id, stream } = await open({ input: { ...input, delay: aDay } });
      await untilRun(client, thread_id, "running");
      await client.threads.delete(thread_id);
      // Its run is rolled back first, and may come to say so before its thread is gone.
      const errors = (await stream).filter(({ event }) => event === "error");
      expect(errors).toMatchObject(errors.length > 0 ? [told("rollback")] : []);
      await expect(client.threads.get(thread_id)).rejects.toThrow(/HTTP 404/);
    });
  });

  test("more runs than the process takes at once: all of them end well", async () => {
    const { client } = await newThread();
    const streams = Array.from({ length: 30 }, async () => {
      const { thread_id } = await client.threads.create();
      const parts: Part[] = await collect(
        client.runs.stream(thread_id, "delay", { input: { ...input, delay: 20 } }),
      );
      return { thread_id, run_id: runIdOf(parts), last: parts.at(-1)?.event };
    });
    for (const { thread_id, run_id, last } of await Promise.all(streams)) {
      expect(last).toBe("values");
      expect((await client.runs.get(thread_id, run_id)).status).toBe("success");
    }
  });
});
