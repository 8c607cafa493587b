import { expect, test } from "bun:test";
import { plainText } from "@berth/store";

test.each<[string, string, string]>([
  ["colours", "\u001b[31;1mred\u001b[0m", "red"],
  ["colours in one byte", "\u009b31mred", "red"],
  ["a title of the terminal", "\u001b]0;owned\u0007text", "text"],
  ["a link of the terminal", "\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\", "text"],
  ["a string without an end", "\u001b]0;never ends", "0;never ends"],
  ["a lone escape and a bell", "a\u001b\u0007b\u0000c\u007fd\u0085", "abcd"],
  ["overrides", "invoice\u202egnp.exe\u202c", "invoicegnp.exe"],
  ["isolates and marks", "\u2066a\u2067b\u2068c\u2069\u200e\u200f\u061c", "abc"],
  ["zero width", "pass\u200bwo\u200crd\u200d\u2060\ufeff\u00ad", "password"],
  ["tags", "a\u{e0041}\u{e007f}b", "ab"],
])("takes out %s", (_, text, plain) => expect(plainText(text)).toBe(plain));

test("leaves what people write", () => {
  const text = "Grüße,\n\t日本語 עברית العربية ❤️ 👍🏽 👩‍👩‍👧 👩🏽‍🚀 — naïve “x” \\u202e";
  expect(plainText(text)).toBe(text);
});

test("line ends are one", () => {
  expect(plainText("a\r\nb\rc\u2028d\u2029e")).toBe("a\nb\nc\nd\ne");
});

test.each([
  ["strings that never end", "\u009d"],
  ["sequences that never end", "\u001b]"],
  ["parameters", "\u001b[0"],
])("takes no longer for many %s", (_, part) => {
  const began = performance.now();
  plainText(part.repeat(100_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});
