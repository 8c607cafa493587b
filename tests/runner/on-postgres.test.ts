import { expect, test } from "bun:test";
import { ON_POSTGRES, planRunners } from "./runners.ts";

const filesOf = (name: string, long: boolean) =>
  planRunners([], long)
    .flat()
    .filter((runner) => runner.name === name)
    .flatMap(({ job }) => job.files);

test("some files run on Postgres at once, and all that may in a long run", () => {
  // A file that was renamed is missed here.
  expect(filesOf(ON_POSTGRES.processes, false)).toHaveLength(8);
  expect(filesOf(ON_POSTGRES.parts, false)).toHaveLength(13);
  for (const name of Object.values(ON_POSTGRES)) {
    const [quick, whole] = [filesOf(name, false), filesOf(name, true)];
    expect(whole).toEqual(expect.arrayContaining(quick));
    expect(whole.length).toBeGreaterThan(2 * quick.length);
    expect(whole.filter((file) => /e2e\/(?:containers|soak|postgres)/.test(file))).toEqual([]);
  }
});
