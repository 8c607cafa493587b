import { WAIT_LIMIT_MS } from "../limits.ts";

const PAUSE_MS = 10;

/** Asks again and again until the answer is what is waited for, and gives it. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  holds: (answer: T) => boolean = Boolean,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > limit) throw new Error(`${what}: still ${JSON.stringify(answer)} after ${limitMs} ms`);
    await Bun.sleep(PAUSE_MS);
  }
}

/** Resolves in a later millisecond: things that are made before and after it differ in their times. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until("the clock moves on", async () => Date.now() > now);
}
