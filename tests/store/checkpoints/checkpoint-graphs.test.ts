import { expect, test } from "bun:test";
import { Checkpoints } from "@berth/store/langgraph";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { everyStore } from "../every-store.ts";

process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";

const fields = {
  items: Annotation<string[]>({ reducer: (old, more) => old.concat(more), default: () => [] }),
  answer: Annotation<string>(),
};

const State = Annotation.Root({
  ...fields,
  log: () =>
    new DeltaChannel<string[], string>((old: string[], more: string[]) => old.concat(more), {
      initialValueFactory: () => [],
    }),
});

const Inner = new StateGraph(Annotation.Root(fields))
  .addNode("ask", () => ({ answer: interrupt<string, string>("what?"), items: ["asked"] }))
  .addEdge(START, "ask");

const outer = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(State)
    .addNode("plan", () => ({ items: ["planned"], log: "plan" }))
    .addNode("work", ({ items }: { items: string[] }) => ({
      items: items.map((item) => `${item}!`),
      log: "work",
    }))
    .addNode("inner", Inner.compile())
    .addNode("end", () => ({ items: ["end"], log: "end" }))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", () => ["a", "b", "c"].map((item) => new Send("work", { items: [item] })), [
      "work",
    ])
    .addEdge("work", "inner")
    .addEdge("inner", "end")
    .compile({ checkpointer });

/** Everything that can be told of a thread after a script of runs, a fork and an update, without its ids. */
async function play(saver: () => BaseCheckpointSaver): Promise<unknown[]> {
  const config = { configurable: { thread_id: "t" } };
  const told: unknown[] = [];
  told.push(await outer(saver()).invoke({ items: ["one"] }, config));
  told.push(
    (await outer(saver()).getState(config, { subgraphs: true })).tasks.map((task) =>
      task.interrupts.map((one) => one.value),
    ),
  );
  told.push(await outer(saver()).invoke(new Command({ resume: "because" }), config));
  told.push(await outer(saver()).invoke({ items: ["two"] }, config));
  told.push(await outer(saver()).invoke(new Command({ resume: "again" }), config));
  const history = await Array.fromAsync(outer(saver()).getStateHistory(config));
  const past = history.find((state) => state.next.includes("end"));
  if (past) told.push(await outer(saver()).invoke(null, past.config));
  const fork =
    past && (await outer(saver()).updateState(past.config, { items: ["forked"], log: "fork" }, "inner"));
  if (fork) told.push(await outer(saver()).invoke(null, fork));
  for await (const { values, next, metadata, tasks } of outer(saver()).getStateHistory(config)) {
    told.push({
      values,
      next,
      source: metadata?.source,
      step: metadata?.step,
      tasks: tasks.map((task) => task.name),
    });
  }
  return JSON.parse(JSON.stringify(told, (key, value) => (key === "id" ? undefined : value)));
}

everyStore("graphs", (open) => {
  test("do with this saver what they do with MemorySaver", async () => {
    const database = await open();
    const memory = new MemorySaver();
    const expected = await play(() => memory);
    expect(expected.length).toBeGreaterThan(20);
    for (const options of [{}, { trustIdentity: false }]) {
      const shared = new Checkpoints(database, options);
      expect(await play(() => new Checkpoints(database, options) as unknown as BaseCheckpointSaver)).toEqual(
        expected,
      );
      await shared.deleteThread("t");
      expect(await play(() => shared as unknown as BaseCheckpointSaver)).toEqual(expected);
      await shared.deleteThread("t");
    }
  });
});
