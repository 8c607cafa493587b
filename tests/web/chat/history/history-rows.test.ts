import { expect, test } from "bun:test";
import type { ThreadState } from "@berth/server";
import { historyRows } from "../../../../web/chat/history/history-rows.ts";

type Step = { said: number; run?: string; source?: string; asks?: boolean };

const checkpoint = { thread_id: "t", checkpoint_ns: "", checkpoint_map: null };
const task = { id: "t", name: "n", path: [], error: null, checkpoint: null, state: null, result: null };

/** Checkpoints of a thread, newest first, each with so many messages. */
function statesOf(steps: Step[]): ThreadState[] {
  return steps.map(({ said, run = "r1", source = "loop", asks = false }, place) => ({
    values: { messages: Array.from({ length: said }, (_, number) => ({ id: String(number) })) },
    next: [],
    tasks: asks ? [{ ...task, interrupts: [{ id: "i", value: 1 }] }] : [],
    interrupts: [],
    checkpoint: { ...checkpoint, checkpoint_id: `c${steps.length - place}` },
    parent_checkpoint: null,
    metadata: { source, run_id: run, step: steps.length - place },
    created_at: null,
  }));
}

const shown = (steps: Step[]) =>
  historyRows(statesOf(steps)).map(({ steps: inside, isFolded }) =>
    isFolded ? inside.length : (inside[0]?.state.checkpoint.checkpoint_id ?? ""),
  );

test("steps in the middle of a run that changed nothing stand behind one line", () => {
  expect(shown([{ said: 3 }, { said: 2 }, { said: 2 }, { said: 2 }, { said: 1 }])).toEqual([
    "c5",
    2,
    "c2",
    "c1",
  ]);
});

test("the end of a run is shown, whatever it changed", () => {
  expect(shown([{ said: 1 }, { said: 1 }, { said: 1 }, { said: 0 }])).toEqual(["c4", 1, "c2", "c1"]);
  expect(shown([{ said: 2, run: "r2" }, { said: 1 }, { said: 1 }])).toEqual(["c3", "c2", "c1"]);
});

test("so are an input, an edit and a question, which change nothing by themselves", () => {
  const input = { said: 1, source: "input" };
  expect(
    shown([{ said: 2 }, input, { said: 1, source: "update" }, { said: 1, asks: true }, { said: 1 }]),
  ).toEqual(["c5", "c4", "c3", "c2", "c1"]);
});
