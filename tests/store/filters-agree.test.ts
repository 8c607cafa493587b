import { describe, expect, test } from "bun:test";
import {
  Assistants,
  Crons,
  containsJson,
  Items,
  type JsonObject,
  type MetadataFilter,
  permits,
  Threads,
} from "@berth/store";
import { sql } from "kysely";
import { matchesFilter, permitsColumn } from "../../store/json-filter.ts";
import { everyStore } from "./every-store.ts";

/** The same numbers in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const KEYS = [
  "a",
  "b",
  "owner",
  "",
  'q"uote',
  "a.b",
  "back\\slash",
  "é",
  "__proto__",
  "[0]",
  "\u007f",
  "😀",
  "k\0",
];
const TEXTS = [
  "",
  "a",
  "ada",
  "1",
  "true",
  "null",
  'q"',
  "\\",
  "é",
  "\u2028",
  "%",
  "_",
  "😀",
  "A",
  "[]",
  "\t",
  // The rest is what `jsonb` does not accept as it is.
  "a\0b",
  "\0\0",
  "\ud800",
  "\\u0000",
  "\\\ud800",
];
const NUMBERS = [0, 1, -1, 1.5, 1e21, 1e-7, 123_456_789_012, Number.MAX_SAFE_INTEGER, 0.1, -0.5];

/** Values that are alike, so that many of them match. */
class Values {
  constructor(private readonly next: () => number) {}

  pick<Value>(from: readonly Value[]): Value {
    return from[Math.floor(this.next() * from.length)] as Value;
  }

  scalar(): unknown {
    return this.pick([
      () => this.pick(TEXTS),
      () => this.pick(NUMBERS),
      () => this.pick([true, false, null]),
    ])();
  }

  value(depth: number): unknown {
    const kind = depth === 0 ? 0 : this.next();
    if (kind < 0.5) return this.scalar();
    if (kind < 0.8) return this.list(depth - 1);
    return this.object(depth - 1);
  }

  list(depth: number): unknown[] {
    return Array.from({ length: Math.floor(this.next() * 4) }, () => this.value(depth));
  }

  object(depth: number): JsonObject {
    const size = Math.floor(this.next() * 4);
    return Object.fromEntries(Array.from({ length: size }, () => [this.pick(KEYS), this.value(depth)]));
  }

  /** A part of a value: most of them are contained in it. */
  part(of: unknown): unknown {
    if (this.next() < 0.1) return this.value(1);
    if (Array.isArray(of)) return of.filter(() => this.next() < 0.5).map((one) => this.part(one));
    if (of === null || typeof of !== "object") return of;
    const kept = Object.entries(of).filter(() => this.next() < 0.6);
    return Object.fromEntries(kept.map(([key, one]) => [key, this.part(one)]));
  }
}

const PAIRS = 400;
/** Documents that one query looks at. */
const AT_ONCE = 10;

function pairs(seed: number): { document: JsonObject; needle: JsonObject }[] {
  const values = new Values(seeded(seed));
  return Array.from({ length: PAIRS }, () => {
    const document = values.object(3);
    return { document, needle: values.part(document) as JsonObject };
  });
}

/** Some have to match, and some not. */
function expectBoth(results: boolean[]): void {
  const matching = results.filter(Boolean).length;
  expect(matching).toBeGreaterThan(results.length / 10);
  expect(matching).toBeLessThan((results.length * 19) / 20);
}

everyStore("filters in the database and in memory", (open) => {
  test("agree on containment and on auth filters", async () => {
    const db = await open();
    const different: unknown[] = [];
    const results: boolean[] = [];
    const all = pairs(1).map(({ document, needle }, at, others) => {
      const other = others[(at * 7 + 1) % others.length]?.needle ?? {};
      const filters: MetadataFilter[] = [
        { contain: needle },
        { any: [{ contain: other }, { contain: needle }] },
        { all: [{ contain: needle }, { any: [{ contain: other }, { all: [{ contain: {} }] }] }] },
      ];
      return { document, filters };
    });
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const some = all
        .slice(from, from + AT_ONCE)
        .flatMap(({ document, filters }) => filters.map((filter) => ({ document, filter })));
      const columns = some.map(({ document, filter }, at) => {
        const column = sql<string>`cast(${JSON.stringify(document)} as text)`;
        return sql`${permitsColumn(db.sql, column, filter)} as ${sql.ref(`c${at}`)}`;
      });
      const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(db.read);
      for (const [at, { document, filter }] of some.entries()) {
        const inMemory = permits(filter, document);
        results.push(inMemory);
        const inDatabase = Boolean(Number(rows[0]?.[`c${at}`]));
        if (inDatabase !== inMemory) different.push({ document, filter, inMemory });
      }
    }
    expect(different).toEqual([]);
    expectBoth(results);
  });

  test("agree on searches of the store", async () => {
    const db = await open();
    const items = new Items(db, { now: () => Date.now() });
    const values = new Values(seeded(2));
    const stored = pairs(3).slice(0, 60);
    for (const [at, { document }] of stored.entries())
      await items.put({ namespace: ["a"], key: `${at}`, value: document });
    const condition = (): unknown => {
      const operator = values.pick([
        "$eq",
        "$ne",
        "$gt",
        "$gte",
        "$lt",
        "$lte",
        "$in",
        "$nin",
        "plain",
        "plain",
      ]);
      if (operator === "plain") return values.value(1);
      if (operator === "$in" || operator === "$nin") return { [operator]: values.list(1) };
      const ordering = values.pick<unknown>([...TEXTS, ...NUMBERS]);
      return { [operator]: operator === "$eq" || operator === "$ne" ? values.value(1) : ordering };
    };
    const found: boolean[] = [];
    for (let at = 0; at < 300; at += 1) {
      const { document = {} } = stored[at % stored.length] ?? {};
      const key = values.pick(Object.keys(document).length > 0 ? Object.keys(document) : KEYS);
      const filter = { [key]: at % 3 === 0 ? document[key] : condition() } as JsonObject;
      const rows = await items.search({ prefix: ["a"], filter, limit: 1_000, offset: 0 });
      const expected = stored.flatMap(({ document }, key) =>
        matchesFilter(document, filter) ? [`${key}`] : [],
      );
      expect({ filter, found: rows.map((row) => row.key).toSorted() }).toEqual({
        filter,
        found: expected.toSorted(),
      });
      found.push(rows.length > 0);
    }
    expectBoth(found);
  });

  test("do not take null, texts and numbers for one another", async () => {
    const items = new Items(await open(), { now: () => Date.now() });
    const stored = { none: null, text: "5", number: 5, yes: true, list: [5], date: "2026-01-31" };
    for (const [key, x] of Object.entries(stored)) await items.put({ namespace: ["a"], key, value: { x } });
    await items.put({ namespace: ["a"], key: "missing", value: {} });
    const found = async (x: unknown) => {
      const rows = await items.search({ prefix: [], filter: { x }, limit: 100, offset: 0 });
      return rows.map(({ key }) => key).toSorted();
    };
    expect(await found({ $lt: 10 })).toEqual(["number"]);
    expect(await found({ $lte: 5 })).toEqual(["number"]);
    expect(await found({ $gte: 5 })).toEqual(["number"]);
    expect(await found({ $gt: -1 })).toEqual(["number"]);
    expect(await found({ $gte: "5" })).toEqual(["text"]);
    expect(await found({ $lt: "3" })).toEqual(["date"]);
    expect(await found({ $gt: "2026-01-30", $lt: "2026-02-01" })).toEqual(["date"]);
    expect(await found({ $in: [5, null] })).toEqual(["none", "number"]);
    expect(await found(null)).toEqual(["none"]);
  });

  test("refuse what they do not know, and name it", async () => {
    const db = await open();
    const clock = { now: () => Date.now() };
    const page = { limit: 10, offset: 0 };
    const items = new Items(db, clock);
    for (const [filter, at, said] of [
      [{ x: { $regex: "a" } }, ["x", "$regex"], "Unsupported operator $regex"],
      [{ x: { y: { $not: 1 } } }, ["x", "y", "$not"], "Unsupported operator $not"],
      [{ x: { $gt: 1, $exists: true } }, ["x", "$exists"], "Unsupported operator $exists"],
      [{ x: { $gt: 1, y: 2 } }, ["x", "y"], "Unsupported operator y"],
      [{ $or: [{ x: 1 }] }, ["$or"], "Unsupported operator $or"],
      [{ $gt: 1 }, ["$gt"], "Unsupported operator $gt"],
      [{ x: { $gt: null } }, ["x", "$gt"], "$gt compares with a number or a text"],
      [{ x: { $lte: [1] } }, ["x", "$lte"], "$lte compares with a number or a text"],
      [{ x: { $in: 1 } }, ["x", "$in"], "$in compares with a list of values"],
      [{ x: { $nin: "a" } }, ["x", "$nin"], "$nin compares with a list of values"],
    ] as [JsonObject, string[], string][])
      expect(await failureOf(items.search({ prefix: [], filter, ...page }))).toMatchObject({
        details: [{ loc: ["body", "filter", ...at], msg: expect.stringContaining(said) }],
      });
    expect(await items.search({ prefix: [], filter: { x: { $eq: { $ref: 1 } } }, ...page })).toEqual([]);
    const metadata = { owner: { $in: ["ada"] } };
    const refusal = { details: [{ loc: ["body", "metadata", "owner", "$in"] }] };
    const threads = new Threads(db, clock);
    const assistants = new Assistants(db, clock);
    const crons = new Crons(db, clock);
    for (const asked of [
      threads.search({ metadata, ...page }),
      threads.count({ metadata }),
      assistants.search({ metadata, ...page }),
      assistants.count({ metadata }),
      assistants.versions(crypto.randomUUID(), { metadata, ...page }),
      crons.search({ metadata, ...page }),
      crons.count({ metadata }),
    ])
      expect(await failureOf(asked)).toMatchObject(refusal);
    const contain = { messages: [{ type: { $ne: "ai" } }] };
    const values = { contain, of: async () => new Map() };
    expect(await failureOf(threads.search({ values, ...page }))).toMatchObject({
      details: [{ loc: ["body", "values", "messages", "0", "type", "$ne"] }],
    });
  });
});

/** What a promise fails with; undefined where it does not. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("containment", () => {
  test("is that of Postgres below the top level", () => {
    expect(containsJson({ a: [] }, { a: [] })).toBe(true);
    expect(containsJson({ a: null }, { a: [] })).toBe(false);
    expect(containsJson({ a: { b: 1 } }, { a: {} })).toBe(true);
    expect(containsJson({ a: "x" }, { a: {} })).toBe(false);
  });
});
