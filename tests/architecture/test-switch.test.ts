import { expect, test } from "bun:test";
import { readSources } from "./source.ts";

/** Where the switch is read, told of, and used: `POST /internal/truncate` is all that it adds. */
const USES = ["server/process.ts", "server/settings/between-berths.ts"];

test("BERTH_TEST adds one route and swaps nothing: what tests need comes in as a dependency", () => {
  const production = readSources().filter(({ path }) => /^(?:store|agent|server)\//.test(path));
  const uses = production.filter(({ text }) => /\bisTest\b/.test(text));
  expect(uses.map(({ path }) => path)).toEqual(USES);
  const all = uses.flatMap(({ text }) => text.split("\n").filter((line) => /settings\.isTest\b/.test(line)));
  expect(all.map((line) => line.trim())).toEqual([
    "truncate: settings.isTest ? (wanted) => emptied(db, agent, wanted) : undefined,",
  ]);
});
