import { expect, test } from "bun:test";
import { fits } from "../../../agent/engine/fingerprint/rule-match.ts";
import { AT_ONCE_MS } from "../../limits.ts";

test.each([
  ["a*c", "abc", true],
  ["a*c", "ac", true],
  ["a*c", "abd", false],
  ["*", "", true],
  ["*b*", "ABC", true],
  ["*b*b*", "abc", false],
  ["ab*b", "ab", false],
  ["abc", "ABC", true],
  ["abc", "abcd", false],
  ["", "x", false],
])("%p fits %p: %p", (pattern, text, wanted) => expect(fits(pattern, text)).toBe(wanted));

test("no pattern takes long", () => {
  const started = performance.now();
  expect(fits(`${"*a".repeat(250)}b`, "a".repeat(100_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
});
