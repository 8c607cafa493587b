import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { less } from "./line.ts";
import { type Kept, keep, newestKept, recordOf } from "./record.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-bench-record-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = (id: string, berth: number) => ({
  ...{ section: "Runs", line: less(id, `line ${id}`, "ms", "figure", { most: 10 }), values: { berth } },
});
const record = async (at: string, rows: ReturnType<typeof found>[], failures: string[] = []) => {
  const outcome = { rows, failures, versions: {} };
  return recordOf(outcome, { startedAt: new Date(at), isQuiet: true, isQuick: false });
};
const figures = (kept: Kept | undefined) =>
  kept?.lines.map(({ id, berth, at }) => [id, berth, at.slice(0, 10)]);

test("a release has one file; what was not measured again keeps its figures and their date", async () => {
  const ids = ["a", "b", "c"];
  await keep(await record("2026-01-01", [found("b", 1), found("a", 2), found("gone", 3)]), ids, folder);
  await keep(await record("2026-01-02", [found("a", 4), found("c", 5)]), ids, folder);
  expect(figures(newestKept(folder))).toEqual([
    ["a", 4, "2026-01-02"],
    ["b", 1, "2026-01-01"],
    ["c", 5, "2026-01-02"],
  ]);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("figures of another machine are not kept beside new ones", async () => {
  const other = await record("2026-01-03", [found("a", 1)]);
  await keep({ ...other, machine: { ...other.machine, cores: 999 } }, ["a", "b"], folder);
  expect(figures(newestKept(folder))).toEqual([["a", 1, "2026-01-03"]]);
  await keep(await record("2026-01-04", [found("b", 2)]), ["a", "b"], folder);
  expect(figures(newestKept(folder))).toEqual([["b", 2, "2026-01-04"]]);
});

test("a line that misses says by how much, and what failed names no path of the machine", async () => {
  const { lines, failures } = await record(
    "2026-01-05",
    [found("a", 15)],
    ["a on berth: no /tmp/x-1/berth.db"],
  );
  expect(lines[0]).toMatchObject({ verdict: "miss", missesBy: 50 });
  expect(failures).toEqual(["a on berth: no …"]);
});
