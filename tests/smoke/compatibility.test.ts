import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./program.ts";

const page = readFileSync(join(ROOT, "docs", "compatibility.md"), "utf8");
const rowsOf = (heading: string) => {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  return section.split("\n").filter((line) => /^\| \d+/.test(line));
};
const testsOf = (text: string) => [...text.matchAll(/`(tests\/[^`]+\.ts)`/g)].map(([, file = ""]) => file);

test("docs/compatibility.md has each of the ten rules and the 23 gaps, with tests that there are", () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
  const numbers = (rows: string[]) => rows.map((row) => row.split("|")[1]?.trim());
  expect(numbers(rowsOf("What breaks"))).toEqual(numbered(10));
  expect(numbers(rowsOf("Where the peer"))).toEqual(numbered(23));
  for (const row of [...rowsOf("What breaks"), ...rowsOf("Where the peer")]) {
    expect([row, testsOf(row).length > 0]).toEqual([row, true]);
  }
  expect(testsOf(page).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
