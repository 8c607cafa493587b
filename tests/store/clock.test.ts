import { expect, test } from "bun:test";
import { ClockSteps, durationsOf, latestOf } from "@berth/store";

/** A clock that can be set, beside one that cannot. */
function settableClock() {
  let [now, elapsed] = [1_000_000, 0];
  return {
    now: () => now,
    elapsed: () => elapsed,
    pass: (ms: number) => {
      now += ms;
      elapsed += ms;
    },
    set: (ms: number) => {
      now += ms;
    },
  };
}

test("durations pass whatever a clock is set to", () => {
  const clock = settableClock();
  const durations = durationsOf(clock);
  const begun = durations.now();
  clock.pass(10);
  clock.set(-7_200_000);
  clock.pass(5);
  expect(durations.now() - begun).toBe(15);
  // A clock of a test is both.
  expect(durationsOf({ now: () => 7 }).now()).toBe(7);
});

test("a clock that was set is settled when its time has passed", () => {
  const clock = settableClock();
  const steps = new ClockSteps(clock, 2_000);
  expect(steps.isSettled()).toBe(true);
  clock.pass(60_000);
  expect(steps.isSettled()).toBe(true);
  for (const step of [7_200_000, -7_200_000]) {
    clock.set(step);
    expect(steps.isSettled()).toBe(false);
    clock.pass(1_999);
    expect(steps.isSettled()).toBe(false);
    clock.pass(1);
    expect(steps.isSettled()).toBe(true);
  }
  // NTP corrects a clock by parts of a second.
  clock.set(300);
  expect(steps.isSettled()).toBe(true);
});

test("the latest time goes on where a clock is set back", () => {
  const clock = settableClock();
  const latest = latestOf(clock);
  const begun = latest.now();
  clock.set(-7_200_000);
  clock.pass(100);
  expect(latest.now() - begun).toBe(100);
  clock.set(7_300_000);
  expect(latest.now()).toBe(clock.now());
});
