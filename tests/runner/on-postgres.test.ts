import { expect, test } from "bun:test";
import { QUICK } from "./on-postgres.ts";
import { ON_POSTGRES, planRunners } from "./runners.ts";

const filesOf = (name: string, long: boolean) =>
  planRunners([], long)
    .flat()
    .filter((runner) => runner.name === name)
    .flatMap(({ job }) => job.files);

test.each(["processes", "parts"] as const)(
  "some files run on Postgres at once, and all that may in a long run: %s",
  (kind) => {
    const [quick, whole] = [filesOf(ON_POSTGRES[kind], false), filesOf(ON_POSTGRES[kind], true)];
    // A file that was renamed is missed here.
    const missed = QUICK[kind].filter((name) => !quick.some((file) => name.test(file)));
    expect(missed).toEqual([]);
    expect(whole).toEqual(expect.arrayContaining(quick));
    expect(whole.length).toBeGreaterThan(2 * quick.length);
    expect(whole.filter((file) => /e2e\/(?:containers|soak|postgres)/.test(file))).toEqual([]);
  },
);
