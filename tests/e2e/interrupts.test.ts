import { describe, expect, test } from "bun:test";
import { IN_PYTHON } from "./berth-process.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, eventNames, present } from "./stream-parts.ts";

type Interrupt = { id: string; value: unknown };
type Interrupted = { __interrupt__?: Interrupt[] };
type Message = { id: string; type: string; content: string };
type Values = { messages: Message[]; keyOne?: string; keyTwo?: string };

const berth = servedBerth({ project: `${import.meta.dir}/project` });
const fixtures = servedBerth();
const input = { messages: [{ role: "human", content: "hello", id: "human-1" }] };
const texts = (values: unknown) => (values as Values).messages.map(({ content }) => content);

forEachSdk((Client) => {
  const newThread = async (url = fixtures.url) => {
    const client = new Client({ apiUrl: url });
    return { client, thread_id: (await client.threads.create()).thread_id };
  };

  describe("a static breakpoint", () => {
    test("before a node: the run succeeds, the thread is interrupted, a run without input goes on", async () => {
      const { client, thread_id } = await newThread();
      const parts = await collect(
        client.runs.stream(thread_id, "agent", {
          input,
          interruptBefore: ["tool"],
          streamMode: ["values", "updates"],
        }),
      );
      const last = dataOf<Values>(parts, "values").at(-1);
      if (IN_PYTHON) expect(texts(present(last))).toEqual(["hello", "begin"]);
      else expect(last as object).toEqual({ __interrupt__: [] });
      const [run] = await client.runs.list(thread_id);
      expect(run?.status).toBe("success");
      expect((await client.threads.get(thread_id)).status).toBe("interrupted");
      const state = await client.threads.getState<Values>(thread_id);
      expect(state.next).toEqual(["tool"]);
      expect(state.tasks).toMatchObject([
        { id: expect.any(String), name: "tool", error: null, interrupts: [] },
      ]);

      const values = await client.runs.wait(thread_id, "agent", { input: null });
      expect(texts(values)).toEqual(["hello", "begin", "tool_call__begin", "end"]);
      expect((await client.threads.get(thread_id)).status).toBe("idle");
      expect(await client.threads.getHistory(thread_id)).toHaveLength(5);
    });

    test("after a node, and before all of them", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "agent", { input, interruptAfter: ["agent"] });
      expect((await client.threads.getState(thread_id)).next).toEqual(["tool"]);
      await client.runs.wait(thread_id, "agent", { input: null, interruptBefore: "*" });
      expect((await client.threads.getState(thread_id)).next).toEqual(["agent"]);
      expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    });

    test("the state may be edited there; the run goes on with the edit", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "agent", { input, interruptBefore: ["tool"] });
      const { values } = await client.threads.getState<Values>(thread_id);
      const begun = present(values.messages[1]);
      await client.threads.updateState(thread_id, {
        values: { messages: [{ ...begun, content: "changed" }] },
      });
      expect((await client.threads.get(thread_id)).status).toBe("interrupted");
      const final = await client.runs.wait(thread_id, "agent", { input: null });
      expect(texts(final)).toEqual(["hello", "changed", "tool_call__changed", "end"]);
      expect(await client.threads.getHistory(thread_id)).toHaveLength(6);
    });
  });

  describe("interrupt()", () => {
    test("is told in values and updates, in the state and on the thread, and resumed", async () => {
      const { client, thread_id } = await newThread();
      const parts = await collect(
        client.runs.stream(thread_id, "agent", {
          input: { ...input, interrupt: true },
          streamMode: ["values", "updates"],
        }),
      );
      const told = present(dataOf<Interrupted>(parts, "values").at(-1)?.__interrupt__);
      expect(told).toEqual([{ id: expect.any(String), value: "i want to interrupt" }]);
      expect(dataOf<Interrupted>(parts, "updates").at(-1)).toEqual({ __interrupt__: told });
      const state = await client.threads.getState(thread_id);
      expect(state.next).toEqual(["agent"]);
      expect(state.tasks.map(({ interrupts }) => interrupts)).toEqual([told]);
      const thread = await client.threads.get(thread_id);
      expect(thread).toMatchObject({
        status: "interrupted",
        interrupts: { [present(state.tasks[0]).id]: told },
      });
      expect((await client.runs.list(thread_id))[0]?.status).toBe("success");

      const values = await client.runs.wait(thread_id, "agent", { command: { resume: "go on" } });
      expect(texts(values)).toEqual(["hello", "begin", "tool_call__begin", "end"]);
      expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", interrupts: {} });
    });

    test("in a subgraph: resumed through it, then the next one", async () => {
      const { client, thread_id } = await newThread();
      const ask = (payload: object) => client.runs.wait(thread_id, "interrupting", payload);
      expect(await ask({ input: { where: "both" } })).toMatchObject({
        __interrupt__: [{ value: { question: "node?" } }],
      });
      expect(await ask({ command: { resume: "yes" } })).toMatchObject({
        __interrupt__: [{ value: { question: "subgraph?" } }],
      });
      const state = await client.threads.getState(thread_id, undefined, { subgraphs: true });
      expect(state.next).toEqual(["inspection"]);
      expect(state.tasks[0]).toMatchObject({
        interrupts: [{ value: { question: "subgraph?" } }],
        state: { next: ["inspect"] },
      });
      const values = await ask({ command: { resume: { any: ["json", 1, null] } } });
      expect(values).toMatchObject({ answer: "yes", review: { any: ["json", 1, null] } });
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });

    test("several at once are resumed by their ids, also one after the other", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const ask = async (payload: object) =>
        (await client.runs.wait(thread_id, "questions", payload)) as Interrupted & { answers: string[] };
      const open = present((await ask({ input: {} })).__interrupt__);
      expect(open.map(({ value }) => value)).toEqual(["colour?", "size?"]);
      const thread = await client.threads.get(thread_id);
      expect(Object.values(thread.interrupts ?? {}).flat()).toHaveLength(2);

      const first = present(open[0]).id;
      const rest = present((await ask({ command: { resume: { [first]: "red" } } })).__interrupt__);
      expect(rest).toEqual(open.slice(1));
      const { answers } = await ask({ command: { resume: { [present(rest[0]).id]: "large" } } });
      expect(answers).toEqual(["colour? red", "size? large"]);

      const again = await newThread(berth.url);
      const both = (await again.client.runs.wait(again.thread_id, "questions", { input: {} })) as Interrupted;
      const ids = present(both.__interrupt__).map(({ id }) => id);
      const resume = Object.fromEntries(ids.map((id, index) => [id, `answer ${index}`]));
      const final = await again.client.runs.wait(again.thread_id, "questions", { command: { resume } });
      expect(final).toMatchObject({ answers: ["colour? answer 0", "size? answer 1"] });
    });
  });

  describe("command", () => {
    test("update changes the state without input", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "agent", { input, interruptBefore: ["tool"] });
      const parts = await collect(
        client.runs.stream(thread_id, "agent", {
          command: { update: { keyOne: "one", keyTwo: "two" } },
          streamMode: "values",
        }),
      );
      expect(eventNames(parts)).not.toContain("error");
      expect(dataOf<Values>(parts, "values").at(-1)).toMatchObject({ keyOne: "one", keyTwo: "two" });
      const { values } = await client.threads.getState<Values>(thread_id);
      expect(values).toMatchObject({ keyOne: "one", keyTwo: "two" });
    });

    test("update as pairs of key and value", async () => {
      const { client, thread_id } = await newThread();
      await client.runs.wait(thread_id, "agent", { input, interruptBefore: ["tool"] });
      const update = [
        ["keyOne", "one"],
        ["keyTwo", "two"],
      ] as [string, unknown][];
      const values = await client.runs.wait(thread_id, "agent", { command: { update } });
      expect(values).toMatchObject({ keyOne: "one", keyTwo: "two" });
    });

    test("goto jumps to a node, by name and with an input of its own", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const run = (payload: object) => client.runs.wait(thread_id, "route", payload);
      expect(await run({ input: {} })).toMatchObject({ visited: ["start"] });
      expect(await run({ command: { goto: "aside" } })).toMatchObject({ visited: ["start", "aside"] });
      const send = { node: "aside", input: { from: "client" } };
      expect(await run({ command: { goto: send } })).toMatchObject({
        visited: ["start", "aside", "aside from client"],
      });
      expect(await run({ command: { goto: [send, "aside"], update: { note: "kept" } } })).toMatchObject({
        note: "kept",
        visited: expect.arrayContaining(["aside"]),
      });
    });

    test("a node that does not exist breaks nothing", async () => {
      const { client, thread_id } = await newThread(berth.url);
      const lost = { command: { goto: "nowhere" }, raiseError: false };
      await client.runs.wait(thread_id, "route", lost);
      expect(await client.runs.wait(thread_id, "route", { input: {} })).toMatchObject({ visited: ["start"] });
      expect((await client.threads.get(thread_id)).status).toBe("idle");
    });
  });
});
