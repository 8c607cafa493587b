import { expect, test } from "bun:test";
import { containsJson } from "@berth/store";
import { type Expression, sql } from "kysely";
import { everyStore } from "../every-store.ts";

const haystack = {
  text: "a",
  number: 1,
  real: 1.5,
  yes: true,
  no: false,
  nothing: null,
  empty: {},
  none: [],
  nested: { deep: { deeper: "x" }, list: [1, 2] },
  tags: ["red", 7, true, null],
  people: [{ name: "ada", roles: ["admin", "dev"] }, { name: "bob" }],
  grid: [
    [1, 2],
    [3, [4]],
  ],
  "a.b": "dot",
  'quo"te': "quoted",
  "back\\slash": "slashed",
  "new\nline": "broken",
  'ends\\"': "both",
  "tail\\": "tail",
  "[0]": "bracket",
  deepList: [{ a: [{ b: [{ c: [1, "x"] }] }] }],
  "": "blank",
  ключ: "юникод",
};

/** Each needle, and whether Postgres' `@>` finds it; the test asks Postgres too. */
const cases: [needle: unknown, found: boolean][] = [
  [{}, true],
  [{ text: "a" }, true],
  [{ text: "b" }, false],
  [{ text: "1" }, false],
  [{ number: 1 }, true],
  [{ number: 1.0 }, true],
  [{ number: "1" }, false],
  [{ number: true }, false],
  [{ real: 1.5 }, true],
  [{ yes: true }, true],
  [{ yes: 1 }, false],
  [{ yes: "true" }, false],
  [{ no: false }, true],
  [{ no: null }, false],
  [{ nothing: null }, true],
  [{ missing: null }, false],
  [{ nothing: "null" }, false],
  [{ empty: {} }, true],
  [{ empty: [] }, false],
  [{ none: [] }, true],
  [{ none: {} }, false],
  [{ nested: {} }, true],
  [{ nested: [] }, false],
  [{ nested: { deep: { deeper: "x" } } }, true],
  [{ nested: { deep: { deeper: "y" } } }, false],
  [{ nested: { list: [2] } }, true],
  [{ nested: { list: [2, 1, 2] } }, true],
  [{ nested: { list: [3] } }, false],
  [{ tags: [] }, true],
  [{ tags: {} }, false],
  [{ tags: ["red"] }, true],
  [{ tags: "red" }, false],
  [{ tags: [7, "red"] }, true],
  [{ tags: ["7"] }, false],
  [{ tags: [true] }, true],
  [{ tags: [1] }, false],
  [{ tags: [false] }, false],
  [{ tags: [null] }, true],
  [{ tags: [{}] }, false],
  [{ people: [{ name: "bob" }] }, true],
  [{ people: [{ name: "ada", roles: ["dev"] }] }, true],
  [{ people: [{ name: "bob", roles: ["dev"] }] }, false],
  [{ people: [{ roles: [] }] }, true],
  [{ people: [{ name: "ada" }, { name: "bob" }] }, true],
  [{ people: { name: "ada" } }, false],
  [{ grid: [[1]] }, true],
  [{ grid: [[2, 1], [3]] }, true],
  [{ grid: [[1, 3]] }, false],
  [{ grid: [[[4]]] }, true],
  [{ grid: [1] }, false],
  [{ text: ["a"] }, false],
  [{ nested: [{ deep: {} }] }, false],
  [{ "a.b": "dot" }, true],
  [{ a: { b: "dot" } }, false],
  [{ 'quo"te': "quoted" }, true],
  [{ 'quo"te': "other" }, false],
  [{ "back\\slash": "slashed" }, true],
  [{ "new\nline": "broken" }, true],
  [{ 'ends\\"': "both" }, true],
  [{ "tail\\": "tail" }, true],
  [{ "[0]": "bracket" }, true],
  [{ deepList: [{ a: [{ b: [{ c: ["x"] }] }] }] }, true],
  [{ deepList: [{ a: [{ b: [{ c: ["y"] }] }] }] }, false],
  [{ "": "blank" }, true],
  [{ ключ: "юникод" }, true],
  [{ text: "a", number: 2 }, false],
];

everyStore("json containment", (open) => {
  test("finds what @> finds", async () => {
    const db = await open();
    const column = sql<string>`cast(${JSON.stringify(haystack)} as text)`;
    for (const [needle, found] of cases) {
      const [row] = (
        await sql<{ found: unknown }>`select ${db.sql.jsonContains(column, needle)} as found`.execute(db.read)
      ).rows;
      expect({ needle, found: Boolean(row?.found) }).toEqual({ needle, found });
    }
  });

  test("no text fails it, whatever it is that a text may not be", async () => {
    const db = await open();
    const holds = async (stored: object, needle: object) => {
      const column = sql<string>`cast(${JSON.stringify(stored)} as text)`;
      const { rows } = await sql<{ found: unknown; same: unknown }>`
        select ${db.sql.jsonContains(column, needle)} as found, ${db.sql.jsonEquals(column, "odd", "x")} as same`.execute(
        db.read,
      );
      return Boolean(rows[0]?.found) && !rows[0]?.same;
    };
    for (const odd of ["\\u0000", "\\", "\\\\u0000", "c:\\udder", "\u001f", "💩"]) {
      const at = { list: [odd], [odd]: { odd } };
      expect([odd, await holds(at, at)]).toEqual([odd, true]);
    }
    for (const odd of ["\0", "\ud800", "\udfff", "\\\ud800", "\\\\\0"]) {
      const at = { list: [odd], [odd]: { odd } };
      // Postgres does not accept these in JSON as they are.
      expect([odd, await holds(at, at)]).toEqual([odd, true]);
      expect([odd, await holds(at, { list: ["other"] })]).toEqual([odd, false]);
      expect([odd, await holds({ list: [] }, at)]).toEqual([odd, false]);
    }
  });

  test("reads the text at a key", async () => {
    const db = await open();
    const column = sql<string>`cast(${JSON.stringify(haystack)} as text)`;
    for (const [key, text] of [
      ["text", "a"],
      ["a.b", "dot"],
      ['quo"te', "quoted"],
      ["missing", null],
    ] as const) {
      const read = await sql<{ text: string | null }>`select ${db.sql.jsonText(column, key)} as text`.execute(
        db.read,
      );
      expect(read.rows[0]?.text ?? null).toBe(text);
    }
  });

  test("what a broken disk left has no keys, and fails no list", async () => {
    const db = await open();
    const torn = sql<string>`cast(${'{"text":"a","gone":{"x'} as text)`;
    const said = async (wanted: Expression<unknown>) =>
      (await sql<{ said: unknown }>`select ${wanted} as said`.execute(db.read)).rows[0]?.said ?? null;
    expect(await said(db.sql.jsonText(torn, "text"))).toBeNull();
    // SQLite takes no text apart that does not have the member in it; what does fails.
    if (db.sql.name === "sqlite") return;
    for (const needle of [{ other: 1 }, { text: "a" }, { gone: {} }, {}, [1]])
      expect([needle, await said(db.sql.jsonContains(torn, needle))]).toEqual([needle, false]);
    expect(await said(db.sql.jsonEquals(torn, "text", "a"))).toBe(false);
  });

  test("takes prefixes and parts literally", async () => {
    const db = await open();
    const column = sql<string>`cast(${"50%_off."} as text)`;
    const holds = async (condition: ReturnType<typeof db.sql.startsWith>) =>
      Boolean((await sql<{ yes: unknown }>`select ${condition} as yes`.execute(db.read)).rows[0]?.yes);
    expect(await holds(db.sql.startsWith(column, ""))).toBe(true);
    expect(await holds(db.sql.startsWith(column, "50%_"))).toBe(true);
    expect(await holds(db.sql.startsWith(column, "%"))).toBe(false);
    expect(await holds(db.sql.startsWith(column, "50__off"))).toBe(false);
    expect(await holds(db.sql.containsText(column, "%_"))).toBe(true);
    expect(await holds(db.sql.containsText(column, "5%"))).toBe(false);
  });
});

test("containsJson in memory agrees with the databases", () => {
  for (const [needle, found] of cases) {
    expect({ needle, found: containsJson(haystack, needle) }).toEqual({ needle, found });
  }
});
