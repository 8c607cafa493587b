import { expect, test } from "bun:test";
import { doubledTypes } from "./doubled-types.ts";
import { readSources, type Source } from "./source.ts";

test("no two exported types share a name", () => {
  expect([...doubledTypes(readSources())].map(([name, at]) => `${name}: ${at}`)).toEqual([]);
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
