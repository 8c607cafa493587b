import { describe, expect, test } from "bun:test";
import type { ThreadState } from "@berth/server";
import { branchTo, endOf, idOf, wordsOf, writersOf } from "../../../../web/console/studio/branch.ts";
import { pathThrough, placed } from "../../../../web/console/studio/graph/layout.ts";
import { lightsOf, noRun, tasksOf, told } from "../../../../web/console/studio/live/live-run.ts";
import {
  addedUp,
  isLiteral,
  overwriting,
  takenAway,
  updateFor,
} from "../../../../web/console/studio/state-edit.ts";

const state = (id: string, parent: string | null, more: Partial<ThreadState> = {}): ThreadState => {
  const at = (checkpoint_id: string) => ({
    ...{ checkpoint_id, thread_id: "t", checkpoint_ns: "", checkpoint_map: null },
  });
  return {
    ...{ values: {}, next: [], tasks: [], interrupts: [], created_at: null },
    metadata: { source: "loop" },
    checkpoint: at(id),
    parent_checkpoint: parent === null ? null : at(parent),
    ...more,
  };
};

describe("a branch", () => {
  // Newest first: e and f come of b, as c does; d is behind c.
  const states = [
    state("f", "e"),
    state("e", "b"),
    state("d", "c"),
    state("c", "b"),
    state("b", "a"),
    state("a", null),
  ];

  test("goes from its end back to the first checkpoint", () => {
    expect(branchTo(states, "f").map((step) => idOf(step.state))).toEqual(["f", "e", "b", "a"]);
    expect(branchTo(states, "d").map((step) => idOf(step.state))).toEqual(["d", "c", "b", "a"]);
    expect(branchTo(states, "nowhere")).toEqual([]);
  });

  test("knows where one could have gone otherwise, the oldest first", () => {
    const [, e] = branchTo(states, "f");
    expect(e?.siblings.map(idOf)).toEqual(["c", "e"]);
    expect(e?.before && idOf(e.before)).toBe("b");
  });

  test("ends at the newest that came of it", () => {
    expect([endOf(states, "c"), endOf(states, "e"), endOf(states, "d")]).toEqual(["d", "f", "d"]);
  });

  test("ends where what is known begins, when older checkpoints are not read yet", () =>
    expect(branchTo(states.slice(0, 2), "f").map((step) => idOf(step.state))).toEqual(["f", "e"]));

  test("says in words what made a checkpoint", () => {
    const before = state("a", null, { next: ["read", "read", "__start__"] });
    const step = { state: state("b", "a"), before, siblings: [] };
    expect([writersOf(step), wordsOf(step)]).toEqual([["read"], "read"]);
    const edited = { ...step, state: state("b", "a", { metadata: { source: "update" } }) };
    expect(wordsOf(edited)).toBe("State edited");
    expect(wordsOf({ ...step, before: undefined })).toBe("Start");
  });
});

describe("an edited state", () => {
  const hi = { type: "human", id: "1", content: "hi" };

  test("sends what is different, and lists of messages anew", () => {
    const before = { same: 1, list: ["a"], messages: [hi] };
    const after = { same: 1, list: ["b"], messages: [{ ...hi, content: "hello" }] };
    expect(updateFor(before, after)).toEqual({
      list: ["b"],
      messages: [
        { type: "remove", id: "__remove_all__", content: "" },
        { ...hi, content: "hello" },
      ],
    });
  });

  test("is written past the rule of a value that came out otherwise", () => {
    const update = { list: ["b"], word: "x" };
    const wrong = addedUp(update, { list: ["b"], word: "x" }, { list: ["a", "b"], word: "x" });
    expect(wrong).toEqual(["list"]);
    expect(overwriting(update, wrong)).toEqual({ list: { __overwrite__: ["b"] }, word: "x" });
    expect(isLiteral({ list: { __overwrite__: ["b"] }, word: null }, ["list"])).toBe(true);
    expect(isLiteral({ list: ["b"], word: null }, ["list", "word"])).toBe(false);
  });

  test("tells what no update can take away", () =>
    expect(takenAway({ a: 1, b: 2 }, { a: 1, c: 3 })).toEqual(["b"]));
});

describe("a run that is followed", () => {
  const event = (name: string, data: unknown) => ({ id: "1", event: name, data: JSON.stringify(data) });

  test("lights nodes, those in subgraphs too, and counts how often", () => {
    const run = told(noRun, [
      event("metadata", { attempt: 1 }),
      event("tasks", { id: "1", name: "read", input: { a: 1 } }),
      event("tasks", { id: "1", name: "read", result: { b: 2 }, error: null, interrupts: [] }),
      event("tasks|ship:2", { id: "3", name: "pack", input: {} }),
      event("tasks", { id: "4", name: "read", input: {} }),
      event("tasks", { id: "5", name: "price", result: {}, error: { message: "no" }, interrupts: [] }),
      event("tasks", { id: "6", name: "ask", result: {}, error: null, interrupts: [{}] }),
    ]);
    expect(run.tasks[0]).toEqual({ id: "1", node: "read", state: "done", input: { a: 1 }, result: { b: 2 } });
    expect([...lightsOf(run.tasks, true)]).toEqual([
      ["read", { state: "running", times: 2 }],
      ["ship:pack", { state: "running", times: 1 }],
      ["price", { state: "failed", times: 1 }],
      ["ask", { state: "waiting", times: 1 }],
    ]);
    // One that has ended has nothing at work any more.
    expect(lightsOf(run.tasks, false).get("ship:pack")).toBeUndefined();
    expect(told(run, [event("metadata", { attempt: 2 })])).toEqual(noRun);
  });

  test("adds up what a model writes", () => {
    const chunk = (content: unknown, type = "AIMessageChunk") =>
      event("messages", [{ id: "m", type, content }, { langgraph_node: "talk" }]);
    const run = told(noRun, [
      chunk("Good ", "ai"),
      chunk([{ type: "text", text: "day" }]),
      chunk("not this", "human"),
    ]);
    expect([...run.words]).toEqual([["m", { node: "talk", text: "Good day" }]]);
    expect(told(run, [chunk("Good day", "ai")]).words.get("m")?.text).toBe("Good day");
  });

  test("is told from checkpoints where its stream is gone", () => {
    const task = { id: "1", name: "read", path: [], interrupts: [], checkpoint: null, state: null };
    const past = [
      state("b", "a", {
        values: { a: 1 },
        tasks: [{ ...task, id: "2", name: "price", error: '{"message":"no"}', result: null }],
      }),
      state("a", null, { tasks: [{ ...task, error: null, result: { a: 1 } }] }),
    ];
    expect(tasksOf(past, undefined)).toEqual([
      { id: "1", node: "read", state: "done", input: {}, result: { a: 1 } },
      { id: "2", node: "price", state: "failed", input: { a: 1 }, error: "no" },
    ]);
    expect(tasksOf(past, "another run")).toEqual([]);
  });
});

describe("a drawing", () => {
  const nodes = ["__start__", "read", "ship:pack", "ship:inner:label", "__end__"].map((id) => ({
    ...{ id, type: "runnable" },
  }));
  const edges = [
    { source: "__start__", target: "read" },
    { source: "read", target: "ship:pack", conditional: true, data: "large" },
    { source: "ship:pack", target: "ship:inner:label" },
    { source: "ship:inner:label", target: "__end__" },
    { source: "read", target: "gone" },
  ];

  test("goes from above to below, with subgraphs as boxes around their nodes", () => {
    const { nodes: shown, groups, edges: lines } = placed({ nodes, edges });
    const heights = shown.map(({ y }) => y);
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
    expect(shown.map(({ label }) => label)).toEqual(["Start", "read", "pack", "label", "End"]);
    expect(groups.map(({ id }) => id).sort()).toEqual(["ship", "ship:inner"]);
    const ship = groups.find(({ id }) => id === "ship");
    for (const { id, x, y, width, height } of shown.filter(({ id }) => id.startsWith("ship:"))) {
      const isWithin =
        ship && x >= ship.x && x + width <= ship.x + ship.width && y + height <= ship.y + ship.height;
      expect({ id, isWithin }).toEqual({ id, isWithin: true });
    }
    expect(lines).toHaveLength(4);
    expect(lines.find(({ label }) => label)?.label?.text).toBe("large");
  });

  test("a line turns softly through its points, and none has no path", () => {
    expect(pathThrough([])).toBe("");
    const points = [
      { x: 0, y: 0 },
      { x: 0, y: 10 },
      { x: 10, y: 20 },
    ];
    expect(pathThrough(points)).toBe("M0 0 Q0 10 5 15 L10 20");
  });

  test("of a hundred nodes is laid out before anybody waits", () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ id: `n${at}`, type: "runnable" }));
    const lines = many.slice(1).map(({ id }, at) => ({ source: `n${Math.floor(at / 2)}`, target: id }));
    const best = Math.min(
      ...Array.from({ length: 5 }, () => {
        const from = performance.now();
        placed({ nodes: many, edges: lines });
        return performance.now() - from;
      }),
    );
    expect(best).toBeLessThan(1_000);
  });
});
