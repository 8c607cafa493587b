import { expect, test } from "bun:test";
import { Turns } from "@berth/store";

/** Keeps the processor busy for so many ms. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("of several pieces of long work, one goes on in each turn of the event loop, in their order", async () => {
  const resumed: string[] = [];
  let turn = 0;
  let isOver = false;
  const piece = async (name: string) => {
    const turns = new Turns(1);
    for (let part = 0; part < 4; part += 1) {
      work(2);
      await turns.rest();
      resumed.push(`${turn} ${name}`);
    }
  };
  const pieces = Promise.all([piece("a"), piece("b"), piece("c")]).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    turn += 1;
  }
  await pieces;
  expect(resumed.map((text) => text.split(" ")[1]).join("")).toBe("abcabcabcabc");
  const turnsTaken = resumed.map((text) => text.split(" ")[0]);
  expect(new Set(turnsTaken).size).toBe(turnsTaken.length);
});

test("work that has time left goes on at once", () => {
  expect(new Turns(60_000).rest()).toBeUndefined();
});
