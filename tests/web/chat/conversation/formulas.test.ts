import { expect, test } from "bun:test";
import { hasFormulas, withFormulas } from "../../../../web/markdown/formula-text.ts";

test.each([
  ["Let \\(x = 1\\) be", "Let $x = 1$ be"],
  ["So \\[x^2\\] it is", "So \n$$\nx^2\n$$\n it is"],
  ["$a+b$ and $$c$$", "$a+b$ and $$c$$"],
  ["It costs $5, or $10 for two", "It costs \\$5, or \\$10 for two"],
  ["`$a$` is code, $a$ is not, $5 is money", "`$a$` is code, $a$ is not, \\$5 is money"],
])("%p has its formulas between dollars", (text, marked) => {
  expect(withFormulas(text)).toBe(marked);
});

test("prices are no formulas", () => {
  expect(hasFormulas("From $5 to $10")).toBe(false);
  expect(hasFormulas("From $5-$10")).toBe(false);
  expect(hasFormulas("$x$")).toBe(true);
});
