import { beforeAll, expect, test } from "bun:test";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { Annotation, END, getConfig, START, StateGraph } from "@langchain/langgraph";
import { RunTree } from "langsmith";
import { ownLangGraph } from "../../../agent/project/langgraph-copy.ts";

const State = Annotation.Root({ seen: Annotation<unknown[]> });

beforeAll(async () => void (await ownLangGraph()));

const treeNow = () => AsyncLocalStorageProviderSingleton.getInstance().getStore();

/** Two nodes that tell in which tree, and with which config, they run. */
const graph = new StateGraph(State)
  .addNode("one", () => ({ seen: [[treeNow(), getConfig()?.configurable?.who]] }))
  .addNode("two", ({ seen }) => ({ seen: [...seen, [treeNow(), getConfig()?.configurable?.who]] }))
  .addEdge(START, "one")
  .addEdge("one", "two")
  .addEdge("two", END)
  .compile();

test("each node has a tree of its own that traces nothing, and finds its config", async () => {
  const runs = await Promise.all(["ada", "bo"].map((who) => graph.invoke({}, { configurable: { who } })));
  const seen = runs.flatMap((run) => run.seen) as [RunTree, string][];
  expect(seen.map(([, who]) => who)).toEqual(["ada", "ada", "bo", "bo"]);
  const trees = seen.map(([tree]) => tree);
  expect(new Set(trees).size).toBe(4);
  for (const tree of trees) {
    expect(tree).toBeInstanceOf(RunTree);
    expect(tree.tracingEnabled).toBe(false);
  }
  // What one gets, as from LangSmith's `traceable`, is not the others', and is not traced either.
  const child = trees[0]?.createChild({ name: "child" });
  expect(child?.tracingEnabled).toBe(false);
  expect(trees.map(({ child_runs }) => child_runs.length)).toEqual([1, 0, 0, 0]);
});

test("one tree is made, and the others are copies", async () => {
  const run = await graph.invoke({}, { configurable: { who: "ada" } });
  const [[one], [two]] = run.seen as [[RunTree], [RunTree]];
  expect(one.id).toBe(two.id);
});

test("callbacks that tell nobody, as those that traces notice calls by, are none", async () => {
  const run = await graph.invoke(
    {},
    { configurable: { who: "ada" }, callbacks: new CallbackManager("a-call") },
  );
  const [[one, who], [two]] = run.seen as [[RunTree, string], [RunTree, string]];
  expect(who).toBe("ada");
  expect(one.id).toBe(two.id);
  expect(one).not.toBe(two);
});

test("with callbacks, LangChain makes the trees", async () => {
  const run = await graph.invoke(
    {},
    { configurable: { who: "ada" }, callbacks: [{ handleChainStart() {} }] },
  );
  const [[one, who], [two]] = run.seen as [[RunTree, string], [RunTree, string]];
  expect(who).toBe("ada");
  expect(one.id).not.toBe(two.id);
});
