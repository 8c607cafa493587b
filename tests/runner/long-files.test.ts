import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LEFT_OUT, LONG_FILES } from "./long-files.ts";
import { ROOT } from "./run.ts";
import { planRunners } from "./runners.ts";

const filesOf = (only: string[], long: boolean) =>
  new Set(
    planRunners(only, long)
      .flat()
      .flatMap(({ job }) => job.files),
  );

test("a long run has the files that others leave out, and so has one for which they are named", () => {
  expect(LONG_FILES.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const [short, long, named] = [filesOf([], false), filesOf([], true), filesOf([...LONG_FILES], false)];
  expect(LONG_FILES.filter((file) => short.has(file))).toEqual([]);
  expect(LONG_FILES.filter((file) => !long.has(file) || !named.has(file))).toEqual([]);
});

test("what a reason names is in every run", () => {
  const short = [...filesOf([], false)];
  const named = Object.keys(LEFT_OUT).flatMap((reason) =>
    [...reason.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !short.some((file) => file.endsWith(`/${name}.test.ts`)))).toEqual([]);
});
