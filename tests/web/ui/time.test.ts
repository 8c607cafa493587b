import { describe, expect, test } from "bun:test";
import { agoText, durationText } from "../../../web/ui/time.tsx";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1_500, "1.5 s"],
  [42_400, "42 s"],
  [61_000, "1 min 1 s"],
  [3_661_000, "1 h 1 min"],
  [90_061_000, "25 h 1 min"],
  [259_200_000, "3 d 0 h"],
])("%d ms take %s", (ms, text) => expect(durationText(ms)).toBe(text));

test.each([
  [0, "now"],
  [30_000, "30 s ago"],
  [120_000, "2 min ago"],
  [7_200_000, "2 h ago"],
  [3 * 86_400_000, "3 d ago"],
  [-7_200_000, "in 2 h"],
])("%d ms before now is %s", (ms, text) => {
  const now = Date.UTC(2026, 10, 22);
  expect(agoText(now - ms, now)).toBe(text);
  expect(agoText(new Date(now - ms).toISOString(), now)).toBe(text);
});

test("what is further away than a week has its date", () =>
  expect(agoText("2026-01-02T12:00:00Z", Date.UTC(2026, 10, 22))).toContain("2026"));

describe("in the margin of a list", () => {
  const now = new Date(2026, 4, 20, 12).getTime();
  const ago = (seconds: number) =>
    agoText(new Date(now - seconds * 1000).toISOString(), now, { short: true });

  test.each([
    [5, "now"],
    [59, "now"],
    [60, "1 min"],
    [3599, "59 min"],
    [7200, "2 h"],
    [86_400, "1 d"],
    [-7200, "in 2 h"],
  ])("%d seconds ago is %p", (seconds, words) => expect(ago(seconds)).toBe(words));

  test("what is more than a week old has a date, without the year that it is", () => {
    expect(ago(9 * 86_400)).toBe("May 11");
    expect(ago(190 * 86_400)).toBe("Nov 11, 2025");
  });
});
