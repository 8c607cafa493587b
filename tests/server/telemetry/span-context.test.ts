import { expect, test } from "bun:test";
import { isSampled, readTraceparent, spanBelow, traceparentOf } from "../../../server/telemetry/span.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("a traceparent is read, and written as it was", () => {
  for (const flags of ["00", "01"]) {
    const header = `00-${TRACE}-${SPAN}-${flags}`;
    const context = readTraceparent(header);
    expect(context).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: flags === "01" });
    expect(context && traceparentOf(context)).toBe(header);
  }
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-what-the-future-holds`)).toMatchObject({ isSampled: true });
});

test.each([
  ["nothing", null],
  ["another form", "4bf92f35"],
  ["a version that never is", `ff-${TRACE}-${SPAN}-01`],
  ["more than this version has", `00-${TRACE}-${SPAN}-01-more`],
  ["no trace", `00-${"0".repeat(32)}-${SPAN}-01`],
  ["no span", `00-${TRACE}-${"0".repeat(16)}-01`],
  ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
])("%s names no span", (_, header) => expect(readTraceparent(header)).toBeUndefined());

test("a span below another is of its trace, and one below none begins its own", () => {
  const parent = readTraceparent(`00-${TRACE}-${SPAN}-00`);
  expect(spanBelow(parent, 1)).toMatchObject({ traceId: TRACE, isSampled: false });
  expect(spanBelow(parent, 1).spanId).not.toBe(SPAN);
  expect(spanBelow(undefined, 1)).toMatchObject({ isSampled: true });
  expect(spanBelow(undefined, 0)).toMatchObject({ isSampled: false });
});

test("as many traces are exported as it was asked for, whoever decides", () => {
  const ids = Array.from({ length: 2_000 }, () => Bun.randomUUIDv7().replaceAll("-", ""));
  const share = ids.filter((id) => isSampled(id, 0.25)).length / ids.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.3);
});
