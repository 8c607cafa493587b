import { expect, test } from "bun:test";
import { Attempts } from "../../server/web/attempts.ts";

function start() {
  const time = { ms: 1_000 };
  return { time, attempts: new Attempts({ now: () => time.ms }) };
}

test("ten wrong keys a minute are heard, further ones wait for its end", () => {
  const { time, attempts } = start();
  for (let at = 0; at < 10; at += 1) expect(attempts.begin("a")).toBe(0);
  expect(attempts.begin("a")).toBe(60);
  expect(attempts.begin("b")).toBe(0);
  time.ms += 59_001;
  expect(attempts.begin("a")).toBe(1);
  time.ms += 999;
  expect(attempts.begin("a")).toBe(0);
});

test("a right key forgives the wrong ones before it", () => {
  const { attempts } = start();
  for (let at = 0; at < 9; at += 1) attempts.begin("a");
  attempts.succeeded("a");
  for (let at = 0; at < 10; at += 1) expect(attempts.begin("a")).toBe(0);
  expect(attempts.begin("a")).toBeGreaterThan(0);
});

test("however many addresses try, only ten thousand are remembered", () => {
  const { attempts } = start();
  for (let at = 0; at < 10; at += 1) attempts.begin("first");
  expect(attempts.begin("first")).toBeGreaterThan(0);
  for (let at = 0; at < 10_000; at += 1) attempts.begin(`address ${at}`);
  expect(attempts.begin("first")).toBe(0);
});
