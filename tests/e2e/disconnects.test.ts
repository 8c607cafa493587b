import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

const berth = servedBerth();
const input = { messages: [{ role: "human", content: "hello" }] };
const aDay = 86_400_000;
const ended = (status: string) => status !== "pending" && status !== "running";

forEachSdk((Client) => {
  const newThread = async () => {
    const client = new Client({ apiUrl: berth.url });
    return { client, thread_id: (await client.threads.create()).thread_id };
  };

  describe("on_disconnect", () => {
    const leave = async (onDisconnect: "cancel" | "continue") => {
      const { client, thread_id } = await newThread();
      const leaving = new AbortController();
      const stream = client.runs.stream(thread_id, "delay", {
        input: { ...input, delay: onDisconnect === "cancel" ? 60_000 : 300 },
        onDisconnect,
        signal: leaving.signal,
      });
      const first = present((await stream.next()).value, "first event");
      leaving.abort();
      await stream.next().catch(() => undefined);
      const { run_id } = first.data as { run_id: string };
      const ended = await until(
        "the run ends",
        () => client.runs.get(thread_id, run_id),
        ({ status }) => status !== "running" && status !== "pending",
      );
      return { status: ended.status, thread: await client.threads.get(thread_id) };
    };

    test("cancel: the run ends with its reader", async () => {
      const { status, thread } = await leave("cancel");
      expect(status).toBe("interrupted");
      expect(thread.status).not.toBe("busy");
    });

    test("continue: it goes on to its own end", async () => {
      expect(await leave("continue")).toMatchObject({ status: "success", thread: { status: "idle" } });
    });

    test("cancel also for wait", async () => {
      const { thread_id } = await newThread();
      // Version 2.0.0 takes an abort for a failure and tries again, for half a minute.
      const client = new Client({ apiUrl: berth.url, callerOptions: { maxRetries: 0 } });
      const leaving = new AbortController();
      const waiting = client.runs.wait(thread_id, "delay", {
        input: { ...input, delay: 60_000 },
        onDisconnect: "cancel",
        signal: leaving.signal,
      });
      const outcome = waiting.then(
        () => "answered",
        () => "left",
      );
      await until("the run runs", async () => (await client.runs.list(thread_id))[0]?.status === "running");
      leaving.abort();
      expect(await outcome).toBe("left");
      await until(
        "the run is cancelled",
        async () => (await client.runs.list(thread_id))[0]?.status === "interrupted",
      );
    });
  });

  test("a joiner that asked for it takes the run along when it leaves", async () => {
    const { client, thread_id } = await newThread();
    const { run_id } = await client.runs.create(thread_id, "delay", { input: { ...input, delay: aDay } });
    const leaving = new AbortController();
    const stream = client.runs.joinStream(thread_id, run_id, {
      lastEventId: "-1",
      cancelOnDisconnect: true,
      signal: leaving.signal,
    });
    expect((await stream.next()).value?.event).toBe("metadata");
    leaving.abort();
    await stream.next().catch(() => undefined);
    const run = await until(
      "the run ends",
      () => client.runs.get(thread_id, run_id),
      ({ status }) => ended(status),
    );
    expect(run.status).toBe("interrupted");
  });
});

test("readers that leave at any moment leave no run behind", async () => {
  const post = (path: string, json: object, signal?: AbortSignal) =>
    fetch(`${berth.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
      ...(signal && { signal }),
    });
  const json = { assistant_id: "delay", input: { ...input, delay: aDay }, on_disconnect: "cancel" };
  const visits = Array.from({ length: 60 }, async (_, index) => {
    const metadata = { left: true };
    const { thread_id } = (await (await post("/threads", { metadata })).json()) as { thread_id: string };
    const place = index % 3 === 0 ? "/runs" : `/threads/${thread_id}/runs`;
    const leaving = AbortSignal.timeout((index * 7) % 23);
    const reading = post(`${place}/${index % 2 === 0 ? "stream" : "wait"}`, json, leaving);
    await reading.then((response) => response.text()).catch(() => undefined);
  });
  await Promise.all(visits);
  const busy = async () => (await post("/threads/count", { status: "busy" })).json();
  await until("no thread is busy", busy, (count) => count === 0);
  const metrics = async () => (await fetch(`${berth.url}/metrics`)).text();
  const idle = (text: string) => /^berth_runs_running 0$/m.test(text) && /^berth_runs_pending 0$/m.test(text);
  await until("no run is left", metrics, idle);
});
