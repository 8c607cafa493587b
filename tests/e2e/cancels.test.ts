import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { type Client, forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, eventNames, type Part, runIdOf, told } from "./stream-parts.ts";
import { waitsForNodes } from "./stubborn-nodes.ts";

type Values = { messages: { content: string }[] };

const fixtures = servedBerth();
const berth = servedBerth({ project: `${import.meta.dir}/project` });
const input = { messages: [{ role: "human", content: "hello" }] };
const aDay = 86_400_000;
const texts = ({ values }: { values: Values }) => (values.messages ?? []).map(({ content }) => content);

async function untilStatus(client: Client, run: { thread_id: string; run_id: string }, status: string) {
  await until(
    `the run is ${status}`,
    async () => (await client.runs.get(run.thread_id, run.run_id)).status,
    (now) => now === status,
  );
}

describe("a node that does not heed it", () => waitsForNodes(berth));

forEachSdk((Client) => {
  const newThread = async (url = fixtures.url) => {
    const client = new Client({ apiUrl: url });
    return { client, thread_id: (await client.threads.create()).thread_id };
  };
  const running = async () => {
    const { client, thread_id } = await newThread();
    const run = await client.runs.create(thread_id, "delay", { input: { ...input, delay: aDay } });
    await untilStatus(client, run, "running");
    // It runs as soon as somebody has it, which may be an executor that has yet to start.
    await until(
      "its node runs",
      async () => (await client.threads.getState(thread_id)).next,
      (next) => next.includes("long_running"),
    );
    return { client, thread_id, run_id: run.run_id };
  };

  describe("a running run", () => {
    test("stops at once, down to the model's call, and its stream says so", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const watch = crypto.randomUUID();
      const parts: Part[] = [];
      let cancelled: Promise<void> | undefined;
      const stream = client.runs.stream(thread_id, "watched", {
        input,
        streamMode: "messages-tuple",
        config: { configurable: { watch } },
      });
      for await (const part of stream) {
        parts.push(part);
        if (parts.length === 4) cancelled = client.runs.cancel(thread_id, runIdOf(parts), true);
      }
      await cancelled;
      expect(parts.at(-1)).toMatchObject(told("interrupt"));
      expect((await client.runs.get(thread_id, runIdOf(parts))).status).toBe("interrupted");
      const seen = () => client.store.getItem(["watched"], watch);
      const item = await until("the model's signal fires", seen);
      expect(item?.value).toEqual({ aborted: true });
    });

    test("with wait it is over when the answer comes; what it saved stays", async () => {
      const { client, thread_id, run_id } = await running();
      await client.runs.cancel(thread_id, run_id, true);
      expect((await client.runs.get(thread_id, run_id)).status).toBe("interrupted");
      const thread = await client.threads.get<Values>(thread_id);
      expect(thread.status).toBe("interrupted");
      expect(texts(thread)).toEqual(["hello"]);
      const state = await client.threads.getState<Values>(thread_id);
      expect(state.next).toEqual(["long_running"]);
      expect(texts(state)).toEqual(["hello"]);
    });

    test("without wait the answer comes at once, and it stops on its own time", async () => {
      const { client, thread_id, run_id } = await running();
      await client.runs.cancel(thread_id, run_id);
      await untilStatus(client, { thread_id, run_id }, "interrupted");
      await client.runs.wait(thread_id, "delay", { input: { ...input, delay: 1 } });
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });

    test("who joined it or waits for it is told, and so is who asks later", async () => {
      const { client, thread_id, run_id } = await running();
      const joined = client.runs.join(thread_id, run_id);
      const streamed = collect(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
      await client.runs.cancel(thread_id, run_id, true);
      const error = { __error__: told("interrupt").data };
      expect(await joined).toEqual(error);
      expect(eventNames(await streamed)).toEqual(["metadata", "values", "error"]);
      expect(await client.runs.join(thread_id, run_id)).toEqual(error);
      const later = await collect(client.runs.joinStream(thread_id, run_id));
      expect(later.at(-1)).toMatchObject(told("interrupt"));
    });

    test.each(["interrupt", "rollback"] as const)(
      "another one takes its place by %s: it is told",
      async (strategy) => {
        const { client, thread_id, run_id } = await running();
        const joined = client.runs.join(thread_id, run_id);
        const stream = client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" });
        // Whoever asks for a run that is gone already is told just that.
        await stream.next();
        const streamed = collect(stream);
        const next = { input: { ...input, delay: 1 }, multitaskStrategy: strategy };
        const values = (await client.runs.wait(thread_id, "delay", next)) as unknown as Values;
        expect((await streamed).at(-1)).toMatchObject(told(strategy));
        expect(await joined).toEqual({ __error__: told(strategy).data });
        expect(texts({ values }).at(-1)).toBe("finished after 1ms");
      },
    );

    test("rollback deletes it with its checkpoints; the thread is as it was before", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "delay", { input: { ...input, delay: 1 } });
      const before = await client.threads.getHistory<Values>(thread_id);
      const run = await client.runs.create(thread_id, "delay", { input: { ...input, delay: aDay } });
      await untilStatus(client, run, "running");
      await until("it saves a checkpoint", async () => {
        return (await client.threads.getHistory(thread_id)).length > before.length;
      });
      await client.runs.cancel(thread_id, run.run_id, true, "rollback");
      await expect(client.runs.get(thread_id, run.run_id)).rejects.toThrow(/HTTP 404/);
      expect(await client.threads.getHistory<Values>(thread_id)).toEqual(before);
      const thread = await client.threads.get<Values>(thread_id);
      expect({ status: thread.status, texts: texts(thread) }).toEqual({
        status: "idle",
        texts: ["hello", "finished after 1ms"],
      });
    });
  });

  describe("a pending run", () => {
    test("is interrupted at once, and the thread is free", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "agent", { input });
      const run = await client.runs.create(thread_id, "agent", { input, afterSeconds: 3_600 });
      expect((await client.threads.get(thread_id)).status).toBe("busy");
      await client.runs.cancel(thread_id, run.run_id);
      expect((await client.runs.get(thread_id, run.run_id)).status).toBe("interrupted");
      expect((await client.threads.get(thread_id)).status).toBe("idle");
      await client.threads.updateState(thread_id, { values: { messages: [] }, asNode: "agent" });
      expect(await client.threads.getHistory(thread_id)).toHaveLength(6);
    });

    test("rollback deletes it; who follows it is told", async () => {
      const { client, thread_id } = await newThread();
      const run = await client.runs.create(thread_id, "agent", { input, afterSeconds: 3_600 });
      const joined = client.runs.join(thread_id, run.run_id);
      // Asked for behind it, so that the run is not gone before it is followed.
      for (const _ of [1, 2, 3]) await client.runs.get(thread_id, run.run_id);
      await client.runs.cancel(thread_id, run.run_id, true, "rollback");
      await expect(client.runs.get(thread_id, run.run_id)).rejects.toThrow(/HTTP 404/);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
      expect(await joined).toEqual({ __error__: told("rollback").data });
    });
  });

  test("a run that is over is a conflict, an unknown one is not found", async () => {
    const { client, thread_id } = await newThread();
    const run = await client.runs.create(thread_id, "agent", { input });
    await client.runs.join(thread_id, run.run_id);
    await expect(client.runs.cancel(thread_id, run.run_id)).rejects.toThrow(/HTTP 409/);
    await expect(client.runs.cancel(thread_id, crypto.randomUUID())).rejects.toThrow(/HTTP 404/);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe("success");
  });
});
