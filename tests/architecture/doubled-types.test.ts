import { expect, test } from "bun:test";
import { DOUBLED, doubledTypes } from "./doubled-types.ts";
import { readSources, type Source } from "./source.ts";

test("no two exported types share a name, but those that are known to", () => {
  const found = doubledTypes(readSources());
  const lines = [...found].filter(([name]) => !DOUBLED.includes(name)).map(([name, at]) => `${name}: ${at}`);
  expect(lines).toEqual([]);
  expect(DOUBLED.filter((name) => !found.has(name))).toEqual([]);
});

test("a name of two types is found, a type that is handed on is none", () => {
  const file = (path: string, text: string): Source => ({ path, text, imports: [] });
  const found = doubledTypes([
    file("store/runs/run.ts", "export type Ending = string;"),
    file("store/index.ts", 'export { type Ending } from "./runs/run.ts";'),
    file("server/http/draining.ts", "export class Ending extends Error {}"),
    file("server/app.ts", "type Ending = number;"),
  ]);
  expect([...found]).toEqual([["Ending", ["store/runs/run.ts", "server/http/draining.ts"]]]);
});
