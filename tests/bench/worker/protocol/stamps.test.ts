import { expect, test } from "bun:test";
import type { ServerEvent } from "../sse.ts";
import { rateOf, stampsOf } from "./stamps.ts";

const event = (at: number, data: object): ServerEvent => ({
  at,
  name: "messages",
  data: JSON.stringify({ params: { data } }),
});

const stamp = (index: number, leftAt: number, at: number) => {
  const text = `${index}@${performance.timeOrigin + leftAt} `;
  return event(at, { event: "content-block-delta", delta: { type: "text-delta", text } });
};

test("a token's delay is its arrival less the time that it carries, and the whole text at the end is no token", () => {
  const whole = event(40, { event: "content-block-finish", content: { type: "text", text: "0@1 1@2 " } });
  const stamps = stampsOf([stamp(0, 10, 14), stamp(1, 20, 27), whole], 2);
  expect(stamps.map(({ delayMs }) => Math.round(delayMs))).toEqual([4, 7]);
  expect(Math.round(rateOf(stamps))).toBe(100);
});

test("a token that is missing, repeated or out of order fails the measure", () => {
  expect(() => stampsOf([stamp(0, 1, 2)], 2)).toThrow("1 tokens instead of 2");
  expect(() => stampsOf([stamp(0, 1, 2), stamp(0, 1, 3)], 2)).toThrow("token 0 came where 1 was due");
  expect(() => stampsOf([stamp(1, 1, 2), stamp(0, 1, 3)], 2)).toThrow("token 1 came where 0 was due");
});
