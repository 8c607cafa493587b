import { describe, expect, test } from "bun:test";
import {
  changesIn,
  faultIn,
  newRows,
  readEnvironment,
  rowsOf,
  secretsOf,
  withPasted,
} from "../../../web/console/deployments/secret-rows.ts";

test("a dotenv text is read as programs read it", () => {
  const text = [
    "# a comment",
    "PLAIN=one two # and why",
    'export QUOTED="with # and \\n"',
    "SINGLE='a\\nb'",
    "EMPTY=",
    "HASH=a#b",
    "no variable",
    "PLAIN=later",
  ].join("\r\n");
  expect(readEnvironment(text)).toEqual([
    { name: "PLAIN", value: "later" },
    { name: "QUOTED", value: "with # and \n" },
    { name: "SINGLE", value: "a\\nb" },
    { name: "EMPTY", value: "" },
    { name: "HASH", value: "a#b" },
  ]);
});

describe("the editor of an environment", () => {
  const kept = rowsOf(["A", "B"]);

  test("sends the mask for what stays, and leaves out what goes", () => {
    const rows = kept.map((row) => (row.name === "B" ? { ...row, isRemoved: true } : row));
    expect(secretsOf([...rows, ...newRows([{ name: "C", value: "3" }])])).toEqual([
      { name: "A", value: "********" },
      { name: "C", value: "3" },
    ]);
  });

  test("says what would change", () => {
    expect(changesIn(kept)).toBe("");
    const [first, second] = kept;
    if (!first || !second) throw new Error("there are two");
    const rows = [
      { ...first, value: "new" },
      { ...second, isRemoved: true },
      ...newRows([{ name: "C", value: "" }]),
    ];
    expect(changesIn(rows)).toBe("1 added, 1 changed, 1 removed");
  });

  test("finds what the server would refuse", () => {
    const again = newRows([{ name: "A", value: "1" }]);
    expect(faultIn([...kept, ...again])).toEqual({ key: again[0]?.key ?? "", words: "A is there twice." });
    expect(faultIn(newRows([{ name: "1A", value: "1" }]))?.words).toContain("1A is not the name");
    expect(faultIn(newRows([{ name: "", value: "1" }]))?.words).toBe("A value has no name.");
    expect(faultIn(kept)).toBeUndefined();
  });

  test("takes a pasted text into what is there, and adds the rest", () => {
    const [empty] = newRows([{ name: "", value: "" }]);
    if (!empty) throw new Error("there is one");
    const rows = withPasted([...kept, empty], empty.key, [
      { name: "B", value: "2" },
      { name: "C", value: "3" },
    ]);
    expect(rows.map(({ name, value, isKept }) => [name, value, isKept])).toEqual([
      ["A", "", true],
      ["B", "2", true],
      ["C", "3", false],
    ]);
  });
});
