import { expect, test } from "bun:test";
import type { LogRecord } from "@logtape/logtape";
import { Repeats } from "../../../server/log/log.ts";

const record = (
  timestamp: number,
  properties: Record<string, unknown>,
  message = "job.failed",
): LogRecord => ({
  ...{ timestamp, properties, message: [message], rawMessage: message },
  ...{ level: "error", category: ["berth", "clock"] },
});

test("one error is told once a minute, with how often it was left out; others and plain lines always", () => {
  const repeats = new Repeats();
  const full = () =>
    Object.assign(new Error("the disk is full"), { stack: "Error\n    at write (sqlite.ts:1:1)" });
  const first = record(0, { job: "runs.queue", error: full() });
  expect(repeats.take(first)).toBe(first);
  expect(repeats.take(record(50, { job: "runs.queue", error: full() }))).toBeUndefined();
  expect(repeats.take(record(59_999, { job: "crons.fire", error: full() }))).toBeUndefined();
  expect(repeats.take(record(60_000, { error: full() }))?.properties).toMatchObject({ repeats: 2 });
  expect(repeats.take(record(60_001, { error: full() }))).toBeUndefined();
  expect(repeats.take(record(60_002, { error: new Error("another") }))).toBeDefined();
  expect(repeats.take(record(60_003, { error: full() }, "request failed"))).toBeDefined();
  for (let at = 0; at < 3; at += 1) expect(repeats.take(record(60_004, { status: 503 }))).toBeDefined();
  expect(repeats.take(record(120_000, { error: full() }))?.properties).toMatchObject({ repeats: 1 });
  expect(repeats.take(record(180_000, { error: full() }))?.properties).not.toHaveProperty("repeats");
});

test("it remembers a thousand errors and no more", () => {
  const repeats = new Repeats();
  const failed = (count: number) => Object.assign(new Error(`error ${count}`), { stack: "" });
  for (let at = 0; at < 1_001; at += 1) repeats.take(record(at, { error: failed(at) }));
  expect(repeats.take(record(1_002, { error: failed(1_000) }))).toBeUndefined();
  expect(repeats.take(record(1_002, { error: failed(0) }))).toBeDefined();
});
