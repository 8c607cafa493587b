import { expect, test } from "bun:test";
import { ItemOperations, Items } from "@berth/store";
import { ItemsStore } from "@berth/store/langgraph";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { everyStore, standingClock } from "../every-store.ts";
import { outcome } from "../outcome.ts";

everyStore("the store of graphs", (open) => {
  const start = async () => {
    const items = new Items(await open(), standingClock());
    return { items, store: new ItemsStore(new ItemOperations(items)) };
  };

  test("shows graphs what was put elsewhere, and the other way round", async () => {
    const { items, store } = await start();
    await items.put({ namespace: ["users", "ada"], key: "before", value: { n: 1 } });
    const State = Annotation.Root({ seen: Annotation<unknown> });
    const graph = new StateGraph(State)
      .addNode("remember", async (_, config) => {
        await config.store?.put(["users", "ada"], "after", { n: 2 });
        const found = await config.store?.get(["users", "ada"], "before");
        return { seen: found?.value };
      })
      .addEdge(START, "remember")
      .addEdge("remember", END)
      .compile({ store });
    expect(await graph.invoke({})).toEqual({ seen: { n: 1 } });
    expect((await items.get(["users", "ada"], "after"))?.value).toEqual({ n: 2 });
  });

  test("answers with dates and without scores", async () => {
    const { store } = await start();
    await store.put(["n"], "k", { a: 1 });
    const item = await store.get(["n"], "k");
    expect(item?.createdAt).toBeInstanceOf(Date);
    expect(item?.updatedAt).toBeInstanceOf(Date);
    expect(await store.search(["n"], { filter: { a: { $gte: 1 } } })).toEqual([
      {
        namespace: ["n"],
        key: "k",
        value: { a: 1 },
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        score: undefined,
      },
    ]);
    expect(await store.listNamespaces({ prefix: ["n"], suffix: ["n"], maxDepth: 1 })).toEqual([["n"]]);
    await store.delete(["n"], "k");
    expect(await store.get(["n"], "k")).toBeNull();
  });

  test("refuses the namespaces that LangGraph refuses", async () => {
    const { store } = await start();
    expect(await outcome(store.put([], "k", {}))).toThrow("Namespace cannot be empty.");
    expect(await outcome(store.put(["a.b"], "k", {}))).toThrow("periods");
    expect(await outcome(store.put(["langgraph"], "k", {}))).toThrow("langgraph");
  });

  test("runs a batch: reads see the state before it, the last put to a key counts", async () => {
    const { store } = await start();
    await store.put(["n"], "old", { v: 1 });
    const results: unknown[] = await store.batch([
      { namespace: ["n"], key: "new", value: { v: 1 } },
      { namespace: ["n"], key: "new", value: { v: 2 } },
      { namespace: ["n"], key: "new" },
      { namespace: ["n"], key: "old", value: null },
      { namespace: ["n"], key: "old" },
      { namespacePrefix: ["n"] },
      { limit: 10, offset: 0, matchConditions: [{ matchType: "prefix", path: ["*"] }] },
    ]);
    expect(results).toEqual([
      undefined,
      undefined,
      null,
      undefined,
      expect.objectContaining({ value: { v: 1 } }),
      [expect.objectContaining({ key: "old" })],
      [["n"]],
    ]);
    expect((await store.get(["n"], "new"))?.value).toEqual({ v: 2 });
    expect(await store.get(["n"], "old")).toBeNull();
  });
});
