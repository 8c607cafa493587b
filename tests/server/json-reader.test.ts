import { describe, expect, test } from "bun:test";
import { parseInTurns, parseJson } from "../../server/http/body.ts";
import { JsonReader } from "../../server/http/json-reader.ts";
import { quickest } from "../limits.ts";

const ESCAPES = `{"a":"${'\\"'.repeat(12_000_000)}"}`;
const BROKEN = ESCAPES.slice(0, -1);

/** The longest time (ms) that `work` keeps the event loop to itself. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await working;
  return longest;
}

function duration(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

describe("a text with one large string", () => {
  test("is read in turns, and its value is the one of JSON.parse", async () => {
    let read: Awaited<ReturnType<typeof parseInTurns>> | undefined;
    const atOnce = duration(() => JSON.parse(ESCAPES));
    const longest = await quickest(atOnce / 2, () =>
      longestTurn(async () => {
        read = await parseInTurns(ESCAPES);
      }),
    );
    // Compared as a boolean, because a failure would print both strings.
    const value = read && "value" in read ? (read.value as { a: string }).a : "";
    expect(value === '"'.repeat(12_000_000)).toBe(true);
    expect(longest).toBeLessThan(atOnce / 2);
  });

  test("that is no JSON is refused in turns", async () => {
    const limit = duration(() => new JsonReader(BROKEN).finish()) / 3;
    const reading = async () => {
      expect(await parseInTurns(BROKEN)).toMatchObject({
        fault: {
          loc: ["body", BROKEN.length],
          type: "json_invalid",
          ctx: { error: "Expecting ',' delimiter" },
        },
      });
    };
    expect(await quickest(limit, () => longestTurn(reading))).toBeLessThan(limit);
  });
});

describe("the reader", () => {
  const texts = [
    ...[
      "1",
      "-0",
      "-1.5e+3",
      "1e999",
      '"x"',
      "null",
      "true",
      "[]",
      "{}",
      " [ 1 , [ ] , { } ] ",
      '{"a":{"b":[1,"c"]}}',
    ],
    ...[
      '{"__proto__":{"x":1},"a":1,"a":2,"2":0,"1":0}',
      '"\\ud83d\\ude00 \\n\\/ \\u00e9"',
      '["\u2028", "\u{1f600}"]',
    ],
    ...[
      "",
      " ",
      "{",
      "[1,]",
      '{"a":1,}',
      '{"a" 1}',
      "{a:1}",
      "01",
      "1 2",
      "nul",
      "[1 2]",
      '"\\x"',
      '"a\nb"',
      '"abc',
    ],
    ...['"\\u12"', "\ufeff1", "+1", ".5", "1.", "'a'", "]", '{"a":1]', "[1}", "NaN", "-"],
  ];
  for (const text of texts)
    test(`reads ${JSON.stringify(text)} as JSON.parse does`, () => {
      let expected: unknown;
      try {
        expected = { value: JSON.parse(text) };
      } catch {
        expected = { fault: expect.objectContaining({ reason: expect.any(String) }) };
      }
      const result = new JsonReader(text).finish();
      expect(result).toEqual(expected as typeof result);
      if ("value" in result) expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)));
    });

  test("decodes a string of many parts, with escapes and surrogates where the parts meet", async () => {
    for (let shift = 0; shift < 8; shift += 1) {
      const string = `${"x".repeat(65_530 + shift)}${'\u{1f600}"\\\n'.repeat(30_000)}`;
      const read = await parseInTurns(JSON.stringify({ string, [string]: [string] }));
      const value = "value" in read ? (read.value as Record<string, unknown>) : {};
      expect(value.string === string).toBe(true);
      expect(Object.keys(value)[1] === string).toBe(true);
    }
  });

  test("refuses what a short text may not hold, either, in the same words", async () => {
    const deep = "[".repeat(200_000);
    const values = `[${"1,".repeat(500_001)}1]`;
    const names = `{${Array.from({ length: 100_001 }, (_, at) => `"${at}":1`).join(",")}}`;
    for (const text of [deep, values, names]) expect(await parseInTurns(text)).toEqual(parseJson(text));
  });
});
