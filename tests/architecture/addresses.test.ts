import { expect, test } from "bun:test";
import { readSources, type Source } from "./source.ts";

/** Addresses of metadata, and what lists of addresses are made with: `server/reach` alone says who may be called. */
const LISTS =
  /\bBlockList\b|169\.254\.|168\.63\.129|192\.0\.0\.192|100\.100\.100\.200|fd20:ce|fd00:ec2|metadata\.google/;

const otherLists = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => /^(?:store|agent|server)\//.test(path) && !path.startsWith("server/reach/"))
    .filter(({ text }) => LISTS.test(text))
    .map(({ path }) => path);

test("there is one list of addresses that are never called", () => {
  expect(otherLists(readSources())).toEqual([]);
});

test("a second one is found", () => {
  const text = 'const NEVER = ["168.63.129.16"];';
  expect(otherLists([{ path: "server/control/build/ranges.ts", text, imports: [] }])).toHaveLength(1);
});
