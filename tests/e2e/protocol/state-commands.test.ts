import { describe, expect, test } from "bun:test";
import { forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { hasEnded, isRoot, textOf } from "./wire-event.ts";

const { threads } = servedProtocol();

forEachDoor((door) => {
  describe("state.get", () => {
    test("gives the values of the root, whole or some keys, and the checkpoint", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      const whole = await thread.command("state.get", { namespace: [] });
      const checkpoint = (await thread.state()).checkpoint?.checkpoint_id;
      expect(whole.result).toMatchObject({ values: { log: ["draft"] }, checkpoint: { id: checkpoint } });
      expect(Object.keys(whole.result?.values ?? {}).sort()).toEqual(["log", "messages"]);
      const some = await thread.command("state.get", { namespace: [], keys: ["log"] });
      expect(some.result?.values).toEqual({ log: ["draft"] });
    });

    test("of a namespace that there is none is no_such_namespace", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("hello"));
      const reply = await thread.command("state.get", { namespace: ["nowhere:1"] });
      expect(reply).toMatchObject({ type: "error", error: "no_such_namespace" });
    });
  });

  test("state.listCheckpoints lists them newest first, in pages", async () => {
    const thread = threads.new(door);
    await thread.run("chat", say("one"));
    await thread.run("chat", say("two"));
    const history = (await thread.history({ limit: 100 })).map(({ checkpoint }) => checkpoint?.checkpoint_id);
    expect(history).toHaveLength(6);
    const list = async (params: object) =>
      ((await thread.command("state.listCheckpoints", params)).result?.checkpoints ?? []).map(({ id }) => id);
    expect(await list({ namespace: [] })).toEqual(history as string[]);
    expect(await list({ limit: 2 })).toEqual(history.slice(0, 2) as string[]);
    expect(await list({ limit: 2, before: history[1] })).toEqual(history.slice(2, 4) as string[]);
    const [first] = (await thread.command("state.listCheckpoints", { limit: 1 })).result?.checkpoints ?? [];
    expect(first).toMatchObject({ step: 4, timestamp: expect.anything() });
  });

  test("state.fork starts a run from an earlier checkpoint", async () => {
    const thread = threads.new(door);
    await thread.run("chat", say("one"));
    const from = (await thread.state()).checkpoint?.checkpoint_id;
    await thread.run("chat", say("two"));
    const reply = await thread.command("state.fork", { checkpoint_id: from, input: say("other") });
    expect(reply.result?.thread_id).toBe(thread.id);
    await thread.settled(reply.result?.run_id ?? "");
    expect((await thread.state()).values.messages?.map(textOf)).toEqual([
      "one",
      "You said: one",
      "other",
      "You said: other",
    ]);
    const lost = await thread.command("state.fork", { checkpoint_id: crypto.randomUUID() });
    expect(lost).toMatchObject({ type: "error", error: "no_such_checkpoint" });
  });

  test("agent.getTree tells the namespaces of a run and how they ended", async () => {
    const thread = threads.new(door);
    const run = await thread.start("subgraph", say("go"));
    await thread.settled(run);
    for (const params of [{}, { run_id: run }]) {
      const { result } = await thread.command("agent.getTree", params);
      const tree = result?.tree;
      expect(tree).toMatchObject({ namespace: [], status: "completed", graph_name: "subgraph" });
      const [research] = tree?.children ?? [];
      expect(research).toMatchObject({ status: "completed", graph_name: "research" });
      expect(research?.children).toMatchObject([{ status: "completed", graph_name: "think" }]);
    }
    const unknown = await thread.command("agent.getTree", { run_id: crypto.randomUUID() });
    expect(unknown).toMatchObject({ type: "error", error: "no_such_run" });
  });

  describe("input.inject", () => {
    const message = { role: "user", content: "injected" };

    test("is no_such_run on a thread that does not exist", async () => {
      const reply = await threads.new(door).command("input.inject", { namespace: [], message });
      expect(reply).toMatchObject({ type: "error", error: "no_such_run" });
    });

    test("puts the message on an idle thread", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("hello"));
      expect(await thread.command("input.inject", { namespace: [], message })).toMatchObject({
        type: "success",
        result: {},
      });
      const texts = (await thread.state()).values.messages?.map(textOf);
      expect(texts?.slice(0, 3)).toEqual(["hello", "You said: hello", "injected"]);
    });

    test("is answered behind the run that is under way", async () => {
      const thread = threads.new(door);
      const run = await thread.start("chat", say("words 60 pace 10"));
      expect(await thread.command("input.inject", { namespace: [], message })).toMatchObject({
        type: "success",
      });
      const reader = await thread.read();
      await reader.until("the end of the first", (events) => hasEnded(events, run));
      await reader.until("the answer", (events) =>
        events.some(
          (event) =>
            event.method === "values" &&
            isRoot(event) &&
            event.params.data.messages?.map(textOf).at(-1) === "You said: injected",
        ),
      );
    });
  });

  test("subscriptions over HTTP are answered, and an unknown one is no_such_subscription", async () => {
    const thread = threads.new(door);
    const { result } = await thread.command("subscription.subscribe", { channels: ["values"] });
    expect(result?.subscription_id).toBeString();
    const own = { subscription_id: result?.subscription_id };
    const unknown = await thread.command("subscription.unsubscribe", { subscription_id: "nobody" });
    expect(unknown).toMatchObject({ type: "error", error: "no_such_subscription" });
    expect(await thread.command("subscription.unsubscribe", own)).toMatchObject({ type: "success" });
    for (const params of [{}, { channels: [] }, { channels: "values" }]) {
      const wrong = await thread.command("subscription.subscribe", params);
      expect(wrong).toMatchObject({ type: "error", error: "invalid_argument" });
    }
  });
});
