import { expect, test } from "bun:test";
import { FrameError, SocketFrameReader } from "../../../server/control/gateway/socket-frames.ts";

const MEBIBYTE = 1_048_576;

/** What a reader makes of bytes that arrive `size` at a time. */
function read(bytes: Buffer, size = bytes.length): unknown[] {
  const seen: unknown[] = [];
  const reader = new SocketFrameReader({
    message: (data) => seen.push(data),
    ping: (payload) => seen.push(["ping", String(payload)]),
    close: (code, reason) => seen.push(["close", code, reason]),
  });
  try {
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    seen.push(error.code);
  }
  return seen;
}

test("frames are read wherever their bytes are divided", () => {
  const middle = Buffer.concat([Buffer.from([0x82, 126, 1, 0]), Buffer.alloc(256, 7)]);
  const long = Buffer.concat([Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]), Buffer.alloc(65_536, 97)]);
  const bytes = Buffer.concat([
    Buffer.from([0x81, 0, 0x81, 4, 0xf0, 0x9f, 0x98, 0x80]),
    middle,
    long,
    // A character in two fragments, and a ping and a pong between these.
    Buffer.from([0x01, 2, 0xf0, 0x9f, 0x89, 1, 33, 0x8a, 0, 0x00, 0, 0x80, 2, 0x98, 0x80]),
    Buffer.from([0x88, 5, 0x0b, 0xb9, 98, 121, 101, 0x81, 1, 97]),
  ]);
  const expected = [
    "",
    "😀",
    Buffer.alloc(256, 7),
    "a".repeat(65_536),
    ["ping", "!"],
    "😀",
    ["close", 3_001, "bye"],
  ];
  for (const size of [1, 2, 3, 7, 4_096, bytes.length]) expect(read(bytes, size)).toEqual(expected);
  expect(read(Buffer.from([0x88, 0]))).toEqual([["close", 1_005, ""]]);
});

test.each<[string, number[], number]>([
  ["compressed", [0xc1, 0], 1_002],
  ["masked", [0x81, 0x80, 0, 0, 0, 0], 1_002],
  ["of an unknown kind", [0x83, 0], 1_002],
  ["a long ping", [0x89, 126, 1, 0], 1_002],
  ["a fragment of a ping", [0x09, 0], 1_002],
  ["a continuation of nothing", [0x80, 0], 1_002],
  ["a message within a message", [0x01, 0, 0x81, 0], 1_002],
  ["a close code that is never sent", [0x88, 2, 0x03, 0xee], 1_002],
  ["half a close code", [0x88, 1, 3], 1_002],
  ["no UTF-8", [0x81, 1, 0xff], 1_007],
  ["too large", [0x82, 127, 0, 0, 0, 0, 0, 0x80, 0, 1], 1_009],
  ["far too large", [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], 1_009],
])("an invalid frame: %s", (_name, bytes, code) => {
  expect(read(Buffer.from(bytes))).toEqual([code]);
});

test("many small fragments cost no more memory than their bytes", () => {
  const fragments = 200_000;
  const bytes = Buffer.alloc(3 * fragments);
  for (let at = 3; at < bytes.length; at += 3) bytes.set([0, 1, 97], at);
  bytes.set([1, 1, 97]);
  const reader = new SocketFrameReader({
    message: () => undefined,
    ping: () => undefined,
    close: () => undefined,
  });
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  reader.read(bytes);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * MEBIBYTE);
  reader.read(Buffer.from([0x80, 0]));
});
