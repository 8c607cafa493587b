import { expect, test } from "bun:test";
import { SharedQuestion } from "../../../store/database/index.ts";

/** A database that answers when it is told to, with what is true when it is asked. */
function slow() {
  const waiting: (() => void)[] = [];
  const state = { value: 0, asked: 0 };
  const question = new SharedQuestion(async () => {
    const { value } = state;
    state.asked += 1;
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (value < 0) throw new Error("it went away");
    return value;
  });
  const answer = async () => {
    waiting.shift()?.();
    await new Promise((turn) => setImmediate(turn));
  };
  return { state, question, answer };
}

test("who asks while a question is under way shares the next one, and gets what was true after he asked", async () => {
  const { state, question, answer } = slow();
  const first = question.ask("a");
  state.value = 1;
  const later = [question.ask("a"), question.ask("a"), question.ask("a")];
  expect(state.asked).toBe(1);
  await answer();
  expect(await first).toBe(0);
  expect(state.asked).toBe(2);
  await answer();
  expect(await Promise.all(later)).toEqual([1, 1, 1]);
  expect(state.asked).toBe(2);
  state.value = 2;
  const alone = question.ask("a");
  await answer();
  expect(await alone).toBe(2);
});

test("other keys do not wait, and a failure is that of those who shared it only", async () => {
  const { state, question, answer } = slow();
  state.value = -1;
  const failed = question.ask("a");
  failed.catch(() => undefined);
  state.value = 3;
  const later = question.ask("a");
  const other = question.ask("b");
  expect(state.asked).toBe(2);
  await answer();
  expect(failed).rejects.toThrow("it went away");
  await answer();
  expect(await other).toBe(3);
  await answer();
  expect(await later).toBe(3);
});
