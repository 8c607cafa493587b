import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

const berth = servedBerth({ env: { BG_JOB_TIMEOUT_SECS: "2" } });
const input = { messages: [{ role: "human", content: "hello" }] };
const aDay = 86_400_000;
const post = (path: string, body: unknown) =>
  fetch(berth.url + path, { method: "POST", body: JSON.stringify(body) });

forEachSdk((Client) => {
  const connect = () => new Client({ apiUrl: berth.url });
  const statusOf = async ({ thread_id, run_id }: { thread_id: string; run_id: string }) =>
    (await connect().runs.get(thread_id, run_id)).status;

  test("a batch of runs: each on a thread of its own, in the order given", async () => {
    const { runs } = connect();
    const wanted = ["agent", "nested", "agent"].map((assistantId) => ({
      assistantId,
      input: assistantId === "agent" ? input : { messages: [] },
      metadata: { of: assistantId },
    })) as Parameters<typeof runs.createBatch>[0];
    // The client's own type forgets that it gives them back.
    const created = (await runs.createBatch(wanted)) as Awaited<ReturnType<typeof runs.list>>;
    expect(created.map(({ metadata }) => metadata?.of)).toEqual(["agent", "nested", "agent"]);
    expect(new Set(created.map(({ thread_id }) => thread_id)).size).toBe(3);
    for (const run of created) {
      await until(
        "it ends",
        () => statusOf(run),
        (now) => now === "success",
      );
    }
  });

  test("the options of a batch count as the client writes them", async () => {
    const { runs } = connect();
    const wanted = [
      {
        assistantId: "agent",
        input,
        interruptBefore: ["agent"],
        onCompletion: "keep",
        streamMode: "updates",
      },
      { assistantId: "agent", input, afterSeconds: 3_600, feedbackKeys: ["helpful"] },
    ] as Parameters<typeof runs.createBatch>[0];
    const created: unknown = await runs.createBatch(wanted);
    const [stopped, late] = created as { thread_id: string; run_id: string; kwargs: unknown }[];
    const { thread_id, run_id, kwargs } = present(stopped);
    expect(kwargs).toMatchObject({ interrupt_before: ["agent"], stream_mode: ["updates"] });
    await runs.join(thread_id, run_id);
    expect((await connect().threads.get(thread_id)).status).toBe("interrupted");
    expect(present(late).kwargs).toMatchObject({ feedback_keys: ["helpful"] });
    expect(await statusOf(present(late))).toBe("pending");
    await runs.cancel(present(late).thread_id, present(late).run_id);
    const wrong = [{ assistant_id: "agent", onCompletion: "forget" }];
    const [fault] = ((await (await post("/runs/batch", wrong)).json()) as { detail: { loc: unknown }[] })
      .detail;
    expect(fault?.loc).toEqual(["body", 0, "on_completion"]);
  });

  test("a run that is over its time is stopped, and says so", async () => {
    const client = connect();
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "delay", { input: { ...input, delay: aDay } });
    await until(
      "it ends",
      () => statusOf(run),
      (now) => now === "timeout",
    );
    expect((await client.threads.get(thread_id)).status).toBe("error");
  });
});

test("a batch with an unknown assistant creates no run at all", async () => {
  const pending = async () => {
    const text = await (await fetch(`${berth.url}/metrics`)).text();
    return /^berth_runs_pending (\d+)$/m.exec(text)?.[1];
  };
  const before = await pending();
  const waiting = { assistant_id: "agent", input, after_seconds: 3_600 };
  const response = await post("/runs/batch", [waiting, { ...waiting, assistant_id: "nobody" }]);
  expect([response.status, await response.json()]).toMatchObject([404, { detail: expect.any(String) }]);
  expect(await pending()).toBe(present(before));
});

describe("cancelling many", () => {
  const waiting = async (count: number) => {
    const { thread_id } = await (await post("/threads", {})).json();
    const runs: { run_id: string; thread_id: string }[] = [];
    for (let made = 0; made < count; made += 1) {
      const body = { assistant_id: "agent", input, after_seconds: 3_600 };
      runs.push(await (await post(`/threads/${thread_id}/runs`, body)).json());
    }
    return { thread_id, runs, ids: runs.map(({ run_id }) => run_id) };
  };
  const statuses = async (threadId: string) => {
    const runs = await (await fetch(`${berth.url}/threads/${threadId}/runs?limit=1000`)).json();
    return runs.map(({ status }: { status: string }) => status);
  };

  test("by name: those of the thread, and no others", async () => {
    const [one, other] = [await waiting(3), await waiting(1)];
    const run_ids = [...one.ids.slice(0, 2), ...other.ids, crypto.randomUUID()];
    expect((await post("/runs/cancel", { thread_id: one.thread_id, run_ids })).status).toBe(204);
    expect(await statuses(one.thread_id)).toEqual(["pending", "interrupted", "interrupted"]);
    expect(await statuses(other.thread_id)).toEqual(["pending"]);
    const nobodys = { thread_id: one.thread_id, run_ids: [crypto.randomUUID()] };
    expect((await post("/runs/cancel", nobodys)).status).toBe(404);
    const again = await post("/runs/cancel?action=rollback", { thread_id: one.thread_id, run_ids: one.ids });
    expect(again.status).toBe(204);
    expect(await statuses(one.thread_id)).toEqual(["interrupted", "interrupted"]);
  });

  test("by status: all that wait, also more than a page, and what runs goes on until it is meant", async () => {
    const many = Array.from({ length: 250 }, () => ({
      assistant_id: "agent",
      input,
      after_seconds: 3_600,
      on_completion: "keep",
    }));
    const batch: { run_id: string }[] = await (await post("/runs/batch", many)).json();
    const { thread_id, runs } = await waiting(1);
    expect(runs).toHaveLength(1);
    expect((await post("/runs/cancel", { status: "running" })).status).toBe(204);
    expect(await statuses(thread_id)).toEqual(["pending"]);
    expect((await post("/runs/cancel", { status: "all" })).status).toBe(204);
    expect(await statuses(thread_id)).toEqual(["interrupted"]);
    const left = await Promise.all(
      batch.map(async ({ run_id }) => (await (await fetch(`${berth.url}/runs/${run_id}`)).json()).status),
    );
    expect(new Set(left)).toEqual(new Set(["interrupted"]));
  });

  test("what runs is stopped", async () => {
    const { thread_id } = await (await post("/threads", {})).json();
    const body = { assistant_id: "delay", input: { ...input, delay: aDay } };
    await post(`/threads/${thread_id}/runs`, body);
    await until(
      "it runs",
      () => statuses(thread_id),
      ([status]) => status === "running",
    );
    expect((await post("/runs/cancel", { status: "running" })).status).toBe(204);
    await until(
      "it has stopped",
      () => statuses(thread_id),
      ([status]) => status === "interrupted",
    );
  });

  test("one of the two ways has to be said, and whole", async () => {
    const { thread_id, ids } = await waiting(1);
    for (const body of [
      {},
      { thread_id },
      { run_ids: ids },
      { status: "all", thread_id },
      { status: "all", thread_id, run_ids: ids },
    ]) {
      const response = await post("/runs/cancel", body);
      expect([body, response.status]).toEqual([body, 422]);
    }
    expect(await statuses(thread_id)).toEqual(["pending"]);
  });
});
