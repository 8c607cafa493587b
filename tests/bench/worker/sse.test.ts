import { expect, test } from "bun:test";
import { type Arrival, serverEvents, streamTimes } from "./sse.ts";

const arrivals = (...texts: string[]): Arrival[] =>
  texts.map((text, index) => ({ at: (index + 1) * 10, bytes: new TextEncoder().encode(text) }));

const token = (text: string) => `event: messages\ndata: ${JSON.stringify([{ content: text }, {}])}\n\n`;

test("an event arrives with its last byte, however the bytes are cut, and comments are no events", () => {
  const cut = arrivals(": open\n\neve", 'nt: metadata\r\ndata: {"a":', "1}\r\n", "\r\n: heartbeat\n");
  expect([...serverEvents(cut)]).toEqual([{ at: 40, name: "metadata", data: '{"a":1}' }]);
});

test("times start at the request, and the end event only announces the close", () => {
  const body = arrivals(
    "event: metadata\ndata: {}\n\n",
    token("t0 "),
    token("t1 "),
    "event: end\ndata: null\n\n",
  );
  expect(streamTimes(0, body, 45)).toEqual({
    firstTokenMs: 20,
    firstEventMs: 10,
    firstToLastTokenMs: 10,
    lastEventToCloseMs: 15,
    tokens: 2,
  });
});

test("a token that is missing or repeated is not counted", () => {
  expect(streamTimes(0, arrivals(token("t0 "), token("t2 "), token("t0 ")), 40).tokens).toBe(1);
});

test("an error event fails the stream", () => {
  const body = arrivals('event: error\ndata: {"message":"no"}\n\n');
  expect(() => streamTimes(0, body, 20)).toThrow("the stream failed");
});
