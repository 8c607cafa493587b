import { expect, test } from "bun:test";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { CHANGES, StateReader, StateWriter } from "../../../agent/events/state-log.ts";
import { encodeState } from "../../../agent/wire.ts";

const long = "x".repeat(5_000);

/** Writes states one after the other, and reads them back. */
function through(states: unknown[]) {
  const writer = new StateWriter();
  const reader = new StateReader();
  return states.map((state) => {
    const { mode, json } = writer.write("", state);
    return { mode, size: json.length, read: reader.read(mode, "", json) };
  });
}

test("whatever changes, the whole state is read back", () => {
  const first = new HumanMessage({ id: "1", content: long });
  const answer = new AIMessage({ id: "2", content: 'a "quoted" answer\n' });
  const states = [
    { messages: [first], files: {}, note: null },
    { messages: [first, answer], files: {}, note: null },
    { messages: [first, answer], files: { "a.md": "text" }, note: "new" },
    { messages: [answer], files: {}, todos: [{ content: "b" }] },
    { messages: [], files: {} },
    { messages: [first, answer], files: {}, extra: [1, [2], { three: 3 }] },
    { messages: [first, new AIMessage({ id: "2", content: "changed" })], files: {}, extra: [] },
  ];
  for (const [index, { read }] of through(states).entries()) {
    expect(JSON.parse(read)).toEqual(JSON.parse(encodeState(states[index])));
  }
});

test("a step on a long thread costs what it adds, not what there is", () => {
  const old = Array.from({ length: 200 }, (_, index) => new HumanMessage({ id: `${index}`, content: long }));
  const [whole, step] = through([
    { messages: old },
    { messages: [...old, new AIMessage({ id: "new", content: "hi" })] },
  ]);
  expect(whole?.mode).toBe("values");
  expect(whole?.size).toBeGreaterThan(1_000_000);
  expect(step?.mode).toBe(CHANGES);
  expect(step?.size).toBeLessThan(500);
});

test("what is no object, or short, is written whole", () => {
  const written = through(["text", { n: 1 }, { n: 2 }, [1, 2], { n: 3, messages: [] }]);
  expect(written.map(({ mode }) => mode)).toEqual(["values", "values", "values", "values", "values"]);
  expect(written.map(({ read }) => JSON.parse(read))).toEqual([
    "text",
    { n: 1 },
    { n: 2 },
    [1, 2],
    { n: 3, messages: [] },
  ]);
});

test("namespaces are kept apart, and of very many the oldest is written whole again", () => {
  const writer = new StateWriter();
  const reader = new StateReader();
  const state = (n: number, step: number) => ({ n, step, text: long });
  for (let step = 0; step < 3; step += 1) {
    for (let n = 0; n < 70; n += 1) {
      const { mode, json } = writer.write(`sub:${n}`, state(n, step));
      expect(JSON.parse(reader.read(mode, `sub:${n}`, json))).toEqual(state(n, step));
    }
  }
});

test("a new attempt begins with a whole state, and its reader goes on", () => {
  const reader = new StateReader();
  for (const writer of [new StateWriter(), new StateWriter()]) {
    for (let step = 0; step < 3; step += 1) {
      const { mode, json } = writer.write("", { step, text: long });
      expect(mode).toBe(step === 0 ? "values" : CHANGES);
      expect(JSON.parse(reader.read(mode, "", json))).toEqual({ step, text: long });
    }
  }
});
