import { expect, test } from "bun:test";
import { runStep } from "../../../server/control/build/step.ts";
import { Users } from "../../../server/machine/users.ts";
import { quickest } from "../../limits.ts";

/** Two million lines of two bytes. */
const BYTES = 4_000_000;
/** Reading them without a pause took 1.5 to 2.2 s, in which the event loop did nothing else. */
const STALL_MS = 500;

/** The longest time (ms) that the event loop takes for one turn while something happens. */
async function longestTurn(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const working = work.finally(() => {
    isOver = true;
  });
  let longest = 0;
  for (let last = performance.now(); !isOver; last = performance.now()) {
    await Bun.sleep(1);
    longest = Math.max(longest, performance.now() - last);
  }
  await working;
  return longest;
}

async function linesOf(script: string, maxLines?: number) {
  const lines: string[] = [];
  const end = await runStep(
    new Users({ isolated: false }),
    { signal: new AbortController().signal, onChild: async () => {} },
    {
      command: ["/bin/sh", "-c", script],
      cwd: "/",
      env: { PATH: process.env.PATH ?? "" },
      uid: null,
      limitSeconds: 120,
      ...(maxLines !== undefined && { maxLines }),
      onLine: (line) => void lines.push(line),
    },
  );
  return { lines, end };
}

test("lines are given whole, without colours, however they end", async () => {
  const { lines } = await linesOf(String.raw`printf 'a\033[31mb\r\n\tc\001\rd\n\nlast'`);
  expect(lines).toEqual(["ab", "\tc", "d", "", "last"]);
});

test("beyond the maximum only the end of each part is read, and skipped bytes are counted", async () => {
  const { lines, end } = await linesOf("yes | head -c 8000000; sleep 0.2; echo the end", 5_000);
  expect(end.skippedBytes).toBeGreaterThan(5_000_000);
  expect(lines.length).toBeLessThan(1_000_000);
  expect(lines.at(-1)).toBe("the end");
});

test("much output of a build is read to its end, and leaves the event loop time for requests", async () => {
  const users = new Users({ isolated: false });
  const watch = { signal: new AbortController().signal, onChild: async () => {} };
  let lines = 0;
  const program = {
    command: ["/bin/sh", "-c", `yes | head -c ${BYTES}`],
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    uid: null,
    limitSeconds: 120,
    onLine: () => {
      lines += 1;
    },
  };
  const longest = await quickest(STALL_MS, () => {
    lines = 0;
    return longestTurn(runStep(users, watch, program));
  });
  expect(longest).toBeLessThan(STALL_MS);
  expect(lines).toBe(BYTES / 2);
});
