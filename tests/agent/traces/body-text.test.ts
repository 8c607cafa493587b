import { describe, expect, test } from "bun:test";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { BodyTexts, bodyText } from "../../../agent/traces/body-text.ts";

const LONGEST = 32_768;

describe("the text of what a span took in or gave", () => {
  test("is JSON of at most 32 KiB, whatever it was", () => {
    const big = fc.record({
      list: fc.array(fc.jsonValue(), { maxLength: 20 }),
      text: fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.repeat(3_000)),
      many: fc.dictionary(fc.string(), fc.string({ unit: "binary" }), { maxKeys: 200, size: "max" }),
      value: fc.anything({
        withBigInt: true,
        withMap: true,
        withSet: true,
        withDate: true,
        withTypedArray: true,
      }),
    });
    fc.assert(
      fc.property(big, (value) => {
        const text = bodyText(value);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LONGEST);
        JSON.parse(text);
      }),
      { numRuns: 150 },
    );
  });

  test("bears keys of a map that have no text", () => {
    const value = new Map([[{ toString: null }, 1]]);
    expect(JSON.parse(bodyText({ value }))).toEqual({ value: { "[object Object]": 1 } });
  });

  test("is the whole of what is short", () => {
    const value = { a: [1, "two", null, { three: true }], b: 'ü\n"' };
    expect(JSON.parse(bodyText(value))).toEqual(value);
  });

  test("keeps the end of a long list of messages and something of every key", () => {
    const messages = Array.from({ length: 2_000 }, (_, n) => new HumanMessage(`${n} ${"x".repeat(100)}`));
    const read = JSON.parse(bodyText({ messages, files: { "a.md": "y".repeat(100_000) }, last: "here" }));
    expect(read.messages[0]).toMatch(/^… \d+ more$/);
    expect(read.messages.at(-1).content).toStartWith("1999 ");
    expect(read.last).toBe("here");
  });

  test("bears cycles, and looks at no more than it shows", () => {
    const cycle: Record<string, unknown> = { name: "c" };
    cycle.self = cycle;
    JSON.parse(bodyText(cycle));
    let looked = 0;
    const item = {
      get text() {
        looked += 1;
        return "z".repeat(50);
      },
    };
    JSON.parse(bodyText(Array.from({ length: 100_000 }, () => item)));
    expect(looked).toBeLessThan(2_500);
  });

  test("shows of a message what it says", () => {
    const message = new AIMessage({ content: "hi", id: "m", response_metadata: { finish_reason: "stop" } });
    const said = { type: "ai", id: "m", content: "hi", response_metadata: { finish_reason: "stop" } };
    expect(JSON.parse(bodyText([message]))).toEqual([said]);
  });

  test("is the same where others were made before it, of messages that they share", () => {
    const said = (length: number) => (_: unknown, n: number) =>
      new HumanMessage(`${n} ${"x".repeat(length)}`);
    const short = Array.from({ length: 20 }, said(10));
    const long = Array.from({ length: 9 }, said(9_000));
    const all = [...short, ...long];
    const nested = { answer: new AIMessage({ content: "see", additional_kwargs: { above: short[3] } }) };
    const bodies = [
      { messages: all },
      long[0],
      { messages: short },
      nested,
      [long.slice(0, 3), long],
      all,
      long[0],
    ];
    const texts = new BodyTexts();
    expect(bodies.map((body) => texts.of(body))).toEqual(bodies.map((body) => bodyText(body)));
  });

  test("tells of a message once more only where its texts are made anew", () => {
    let read = 0;
    const message = new HumanMessage("hi");
    const counted = Object.defineProperty({}, "call", { enumerable: true, get: () => ++read });
    message.additional_kwargs = counted as typeof message.additional_kwargs;
    const texts = new BodyTexts();
    for (let span = 0; span < 10; span += 1) texts.of({ messages: [message] });
    const once = read;
    bodyText(message);
    expect(read).toBe(once * 2);
  });
});
