import { describe, expect, test } from "bun:test";
import { Signal, Signals } from "@berth/store";

/** Whether a promise is settled once all that is due at once has run. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  let over = false;
  void promise.then(() => {
    over = true;
  });
  await new Promise<void>((resolve) => setImmediate(resolve));
  return over;
}

describe("a signal", () => {
  test("wakes all who wait, once", async () => {
    const signal = new Signal();
    const first = [signal.wait(), signal.wait()];
    expect(await isOver(Promise.all(first).then(() => undefined))).toBe(false);
    expect(signal.isAwaited).toBe(true);
    signal.give();
    await Promise.all(first);
    expect(signal.isAwaited).toBe(false);
    expect(await isOver(signal.wait())).toBe(false);
  });

  test("does not keep one who missed it while it looked", async () => {
    const signal = new Signal();
    const { times } = signal;
    signal.give();
    expect(await isOver(signal.wait({ since: times }))).toBe(true);
    expect(await isOver(signal.wait({ since: signal.times }))).toBe(false);
  });

  test("lets go who is told to, also before it waits, and remembers nobody then", async () => {
    const signal = new Signal();
    const gone = new AbortController();
    const waiting = signal.wait({ abort: gone.signal });
    expect(await isOver(waiting)).toBe(false);
    gone.abort();
    await waiting;
    await signal.wait({ abort: gone.signal });
    expect(signal.isAwaited).toBe(false);
  });

  test("lets go at the limit; one that is never is none", async () => {
    const signal = new Signal();
    await Promise.all([signal.wait({ limitMs: 1 }), signal.wait({ limitMs: -5 })]);
    expect(signal.isAwaited).toBe(false);
    const never = signal.wait({ limitMs: Number.POSITIVE_INFINITY });
    const longest = signal.wait({ limitMs: 1e12 });
    await Bun.sleep(5);
    expect(await isOver(never)).toBe(false);
    expect(await isOver(longest)).toBe(false);
    signal.give();
    await Promise.all([never, longest]);
  });
});

describe("signals by key", () => {
  test("wake those who wait for that key, or all", async () => {
    const signals = new Signals();
    const [one, other] = [signals.wait("one"), signals.wait("other")];
    signals.give("nobody's");
    signals.give("one");
    await one;
    expect(await isOver(other)).toBe(false);
    signals.giveAll();
    await other;
  });

  test("keep those who wait for a key when others of it have gone", async () => {
    const signals = new Signals();
    const stays = signals.wait("one");
    await signals.wait("one", { limitMs: 1 });
    const comes = signals.wait("one");
    signals.give("one");
    await Promise.all([stays, comes]);
  });
});
