import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../condition.ts";
import { servedBerth } from "../served-berth.ts";
import { present } from "../stream-parts.ts";
import { human, StreamHook } from "./use-stream.ts";

const berth = servedBerth();
const conversation = ["hello", "begin", "tool_call__begin", "end"];
const aDay = 86_400_000;

/** The hook keeps a run in mind only where there is a window. */
beforeAll(() => void Object.assign(globalThis, { window: globalThis }));
afterAll(() => void Reflect.deleteProperty(globalThis, "window"));

class TabStorage implements Storage {
  readonly #entries = new Map<string, string>();
  get length() {
    return this.#entries.size;
  }
  key = (index: number) => [...this.#entries.keys()][index] ?? null;
  getItem = (key: string) => this.#entries.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#entries.set(key, value);
  removeItem = (key: string) => void this.#entries.delete(key);
  clear = () => this.#entries.clear();
}

async function statusOf(threadId: string | null): Promise<string> {
  if (threadId === null) return "none";
  const response = await fetch(`${berth.url}/threads/${threadId}/runs`);
  const [run] = (await response.json()) as { status: string }[];
  return run?.status ?? "none";
}

describe("useStream of the SDK 2.0.0", () => {
  test("a first message: a thread, a run, its history", async () => {
    const hook = new StreamHook(berth.url, "agent");
    expect(hook.texts).toEqual([]);
    await hook.stream.submit(human("hello"));
    await hook.settled();
    expect(hook.texts).toEqual(conversation);
    const [, run] = hook.requests;
    expect(run?.body).toMatchObject({
      assistant_id: "agent",
      stream_mode: expect.arrayContaining(["values", "messages-tuple"]),
      stream_resumable: false,
      on_disconnect: "cancel",
    });
    expect(hook.lines()).toEqual([
      "POST /threads",
      "POST /threads/{id}/runs/stream",
      "POST /threads/{id}/history",
    ]);
    expect(hook.stream.interrupt).toBeUndefined();
    expect(hook.stream.error).toBeUndefined();
    expect(hook.stream.history).toHaveLength(5);
    hook.host.unmount();
  });

  test("the next one names the head of the thread, and goes on from there", async () => {
    const hook = new StreamHook(berth.url, "agent");
    await hook.stream.submit(human("hello"));
    await hook.settled();
    const head = present(hook.stream.history.at(-1)).checkpoint?.checkpoint_id;
    await hook.stream.submit(human("again"));
    await hook.settled();
    const run = hook.requests.findLast(({ line }) => line.endsWith("/runs/stream"));
    expect(run?.body.checkpoint).toMatchObject({ checkpoint_id: head });
    expect(run?.body.checkpoint).not.toHaveProperty("thread_id");
    expect(hook.texts.slice(0, 5)).toEqual([...conversation, "again"]);
    expect(hook.texts.length).toBeGreaterThan(5);
    hook.host.unmount();
  });

  test("a thread that is opened again: its state, or its history, and no more", async () => {
    const first = new StreamHook(berth.url, "agent");
    await first.stream.submit(human("hello"));
    await first.settled();
    const { threadId } = first;
    for (const [fetchStateHistory, line] of [
      [true, "POST /threads/{id}/history"],
      [false, "GET /threads/{id}/state"],
    ] as const) {
      const hook = new StreamHook(berth.url, "agent", { threadId, fetchStateHistory });
      await hook.settled();
      expect(hook.texts).toEqual(conversation);
      expect(hook.lines()).toEqual([line]);
      hook.host.unmount();
    }
  });

  test("an edited message is a branch, and the earlier one stays", async () => {
    const hook = new StreamHook(berth.url, "agent");
    await hook.stream.submit(human("hello"));
    await hook.settled();
    const seen = present(hook.stream.getMessagesMetadata(present(hook.stream.messages[0]), 0));
    const checkpoint = present(seen.firstSeenState?.parent_checkpoint);
    await hook.stream.submit(human("hullo"), { checkpoint });
    await hook.settled();
    expect(hook.texts).toEqual(["hullo", ...conversation.slice(1)]);
    const metadata = () => hook.stream.getMessagesMetadata(present(hook.stream.messages[0]), 0);
    expect(metadata()?.branchOptions).toHaveLength(2);
    hook.stream.setBranch(present(metadata()?.branchOptions?.[0]));
    await until("the other branch", async () => hook.texts[0] === "hello");
    expect(hook.texts).toEqual(conversation);
    hook.host.unmount();
  });

  test("a question is shown, also after a reload, and answered", async () => {
    const hook = new StreamHook(berth.url, "interrupting");
    await hook.stream.submit({ where: "node" } as never);
    await hook.settled();
    const question = { id: expect.any(String), value: { question: "node?" } };
    expect(hook.stream.interrupt).toMatchObject(question);
    const reloaded = new StreamHook(berth.url, "interrupting", { threadId: hook.threadId });
    await reloaded.settled();
    expect(reloaded.stream.interrupt).toMatchObject(question);
    await reloaded.stream.submit(null, { command: { resume: "yes" } });
    await reloaded.settled();
    expect(reloaded.stream.values).toMatchObject({ answer: "yes" });
    expect(reloaded.stream.interrupt).toBeUndefined();
    hook.host.unmount();
    reloaded.host.unmount();
  });

  test("a breakpoint is told as one, and gone on from", async () => {
    const hook = new StreamHook(berth.url, "agent");
    await hook.stream.submit(human("hello"), { interruptBefore: ["tool"] });
    await hook.settled();
    expect(hook.stream.interrupt).toEqual({ when: "breakpoint" });
    await hook.stream.submit(null);
    await hook.settled();
    expect(hook.texts).toEqual(conversation);
    hook.host.unmount();
  });

  test("an error is told with its name, and again when the thread is opened", async () => {
    const hook = new StreamHook(berth.url, "error");
    await hook.stream.submit(human("hello"));
    await hook.settled();
    expect(hook.stream.error).toMatchObject({ name: "CustomError", message: "Boo!" });
    const reloaded = new StreamHook(berth.url, "error", { threadId: hook.threadId });
    await reloaded.settled();
    expect(reloaded.stream.error).toMatchObject({ name: "CustomError", message: "Boo!" });
    hook.host.unmount();
    reloaded.host.unmount();
  });

  test("stop ends the run", async () => {
    const hook = new StreamHook(berth.url, "delay");
    void hook.stream.submit({ ...human("hello"), delay: aDay });
    await until(
      "it runs",
      () => statusOf(hook.threadId),
      (status) => status === "running",
    );
    await hook.stream.stop();
    await until(
      "it has ended",
      () => statusOf(hook.threadId),
      (status) => status === "interrupted",
    );
    expect(hook.stream.isLoading).toBe(false);
    hook.host.unmount();
  });

  test("a tab that comes back joins its run from the beginning, and may stop it", async () => {
    const storage = new TabStorage();
    const hook = new StreamHook(berth.url, "agent", { storage });
    void hook.stream.submit({ ...human("hello"), sleep: 1 });
    await until(
      "it runs",
      () => statusOf(hook.threadId),
      (status) => status === "running",
    );
    const run = present(hook.requests[1]);
    expect(run.body).toMatchObject({ stream_resumable: true, on_disconnect: "continue" });
    const { threadId } = hook;
    expect(storage.getItem(`lg:stream:${threadId}`)).toMatch(/^[0-9a-f-]{36}$/);
    const back = new StreamHook(berth.url, "agent", { storage, threadId });
    await until("it has ended", async () => back.texts.length === 4 && !back.stream.isLoading);
    expect(back.texts).toEqual(conversation);
    const joined = back.requests.find(({ line }) => line.endsWith("/stream"));
    expect(joined?.headers.get("last-event-id")).toBe("-1");

    const other = new StreamHook(berth.url, "delay", { storage });
    void other.stream.submit({ ...human("hello"), delay: aDay });
    await until(
      "it runs",
      () => statusOf(other.threadId),
      (status) => status === "running",
    );
    await until("it is kept in mind", async () => storage.getItem(`lg:stream:${other.threadId}`) !== null);
    await other.stream.stop();
    await until(
      "it has ended",
      () => statusOf(other.threadId),
      (status) => status === "interrupted",
    );
    expect(other.lines()).toContain("POST /threads/{id}/runs/{id}/cancel");
    for (const one of [hook, back, other]) one.host.unmount();
  });
});
