import { expect, test } from "bun:test";
import { IdleMemory } from "../../../server/clock/index.ts";

/** A process that is looked at every five seconds, and what it has given back. */
function watched() {
  let at = 1_000_000;
  let cpuMs = 500;
  let given = 0;
  const memory = new IdleMemory({
    cpuMs: () => cpuMs,
    giveBack: () => {
      given += 1;
    },
  });
  return {
    /** So many looks, with so much processor time before each. */
    pass: async (looks: number, spent: number) => {
      for (let look = 0; look < looks; look += 1) {
        at += 5_000;
        cpuMs += spent;
        await memory.job.once(at);
      }
      return given;
    },
  };
}

test("memory is given back some time after the start, and then only after more work", async () => {
  const { pass } = watched();
  expect(await pass(5, 50)).toBe(0);
  expect(await pass(5, 50)).toBe(1);
  expect(await pass(1_000, 50)).toBe(1);
  expect(await pass(3, 4_000)).toBe(1);
  expect(await pass(4, 50)).toBe(1);
  expect(await pass(10, 50)).toBe(2);
});

test("a process that keeps working gives nothing back", async () => {
  const { pass } = watched();
  for (let n = 0; n < 20; n += 1) {
    await pass(1, 4_000);
    expect(await pass(3, 50)).toBe(0);
  }
});
