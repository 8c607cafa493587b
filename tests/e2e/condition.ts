import { WAIT_LIMIT_MS } from "../limits.ts";

/** The first pause between two questions, and the longest: who has waited long is not asked as often. */
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 50;
/** A wait becomes longer by one part of so many at most. */
const PARTS_OF_WAIT = 20;

/** Asks again and again until the answer is what is waited for, and gives it. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  holds: (answer: T) => boolean = Boolean,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const began = Date.now();
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    const waited = Date.now() - began;
    if (waited > limitMs) throw new Error(`${what}: still ${JSON.stringify(answer)} after ${limitMs} ms`);
    await Bun.sleep(Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, waited / PARTS_OF_WAIT)));
  }
}

/** Resolves in a later millisecond: things that are made before and after it differ in their times. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until("the clock moves on", async () => Date.now() > now);
}
