import { expect, test } from "bun:test";
import { join } from "node:path";
import { appAt, ProjectError } from "../../../agent/project/index.ts";
import { readMounted } from "../../../agent/project/mounted-apps.ts";

const dir = join(import.meta.dir, "../../e2e/custom/mounted");
const read = (apps: unknown) => readMounted("graph.json: http.apps", dir, apps);

test("paths are taken with and without their slashes, the longest first; none where nothing is said", async () => {
  const mounted = await read({ ext: "./ext.ts:app", "/ext/board/": "./board.ts:app" });
  expect(mounted.map(({ prefix }) => prefix)).toEqual(["/ext/board", "/ext"]);
  const inside = (pathname: string) => appAt({ mounted }, pathname)?.pathname;
  expect(["/ext", "/ext/board/x", "/extra", "/", "/x/ext"].map(inside)).toEqual([
    "/",
    "/x",
    undefined,
    undefined,
    undefined,
  ]);
  expect([await read(undefined), await read(null), await read({})]).toEqual([[], [], []]);
});

test.each([
  [["./ext.ts:app"], "must be an object"],
  ["./ext.ts:app", "must be an object"],
  [{ "/": "./ext.ts:app" }, "must be a path such as /ext"],
  [{ "/a b": "./ext.ts:app" }, "must be a path such as /ext"],
  [{ "//": "./ext.ts:app" }, "must be a path such as /ext"],
  [{ ext: "./ext.ts:app", "/ext/": "./ext.ts:app" }, "/ext is there twice"],
  [{ "/ext": "./missing.ts:app" }, "graph.json: http.apps./ext"],
  [{ "/ext": 7 }, 'must be "./file.ts:export"'],
])("%j is refused by name", async (apps, why) => {
  const refused = read(apps);
  await expect(refused).rejects.toThrow(ProjectError);
  await expect(refused).rejects.toThrow(why);
});
