import { expect, test } from "bun:test";
import { Attempts } from "../../server/http/rate-limit.ts";
import { TooMany } from "../../server/http/too-many.ts";

function start() {
  const time = { ms: 1_000 };
  const attempts = new Attempts({ now: () => time.ms });
  /** How many seconds the client has to wait; 0 when it may try. */
  const wait = (client: string, secret: string) => {
    try {
      attempts.begin(client, secret);
      return 0;
    } catch (error) {
      if (error instanceof TooMany) return error.retryAfterSeconds;
      throw error;
    }
  };
  const guess = (client: string, count = 10) => {
    for (let at = 0; at < count; at += 1) expect(wait(client, `guess ${at}`)).toBe(0);
  };
  return { time, attempts, wait, guess };
}

test("ten wrong keys a minute are heard, further ones wait for its end", () => {
  const { time, wait, guess } = start();
  guess("a");
  expect(wait("a", "another")).toBe(60);
  expect(wait("b", "another")).toBe(0);
  time.ms += 59_001;
  expect(wait("a", "another")).toBe(1);
  time.ms += 999;
  expect(wait("a", "another")).toBe(0);
});

test("a wrong key that is sent again and again is no guess", () => {
  const { wait, guess } = start();
  for (let at = 0; at < 100; at += 1) expect(wait("a", "deleted")).toBe(0);
  guess("a", 9);
  expect(wait("a", "guess 10")).toBeGreaterThan(0);
  expect(wait("a", "deleted")).toBe(0);
});

test("a key that was good from there is heard whatever others send, until it is good no more", () => {
  const { attempts, wait, guess } = start();
  expect(wait("a", "right")).toBe(0);
  attempts.succeeded("a", "right");
  guess("a");
  expect(wait("a", "right")).toBe(0);
  expect(wait("a", "another right one")).toBeGreaterThan(0);
  attempts.failed("a", "right");
  expect(wait("a", "right")).toBeGreaterThan(0);
});

test("a right key does not count as a guess", () => {
  const { attempts, wait, guess } = start();
  guess("a", 9);
  expect(wait("a", "right")).toBe(0);
  attempts.succeeded("a", "right");
  expect(wait("a", "guess 9")).toBe(0);
  expect(wait("a", "guess 10")).toBeGreaterThan(0);
});

test("however many clients try, only ten thousand are remembered", () => {
  const { wait, guess } = start();
  guess("first");
  expect(wait("first", "another")).toBeGreaterThan(0);
  for (let at = 0; at < 10_000; at += 1) wait(`client ${at}`, "guess");
  expect(wait("first", "another")).toBe(0);
});
