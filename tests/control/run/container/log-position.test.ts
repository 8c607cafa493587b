import { expect, test } from "bun:test";
import { LogPosition, readKeptLine } from "../../../../server/control/run/container/container-logs.ts";

const FROM = Date.parse("2026-01-01T00:00:00.000Z");
const line = (ms: number, text: string) =>
  `2026-01-01T00:00:00.${String(ms).padStart(3, "0")}456789Z ${text}`;

/** What an engine gives from a time on, read from a position; the position after it. */
function read(log: string[], offset: number): { texts: string[]; offset: number } {
  const position = new LogPosition(offset, FROM);
  const given = log.filter((one) => (readKeptLine(one).at ?? 0) >= Date.parse(position.since));
  const texts = given.map(readKeptLine).filter((one) => position.isNew(one));
  return { texts: texts.map(({ text }) => text), offset: position.offset };
}

test("a line is read as the engine writes it, wherever it is", () => {
  expect(readKeptLine(line(7, "a  b"))).toEqual({ at: FROM + 7, text: "a  b" });
  expect(readKeptLine("2026-01-01T01:00:00.5+01:00 x")).toEqual({ at: FROM + 500, text: "x" });
  expect(readKeptLine("2026-01-01T00:00:00Z")).toEqual({ at: FROM, text: "" });
  expect(readKeptLine("no time")).toEqual({ at: null, text: "no time" });
});

test("wherever the reading is cut, each line is read once", () => {
  const log = [
    line(1, "a"),
    line(1, "b"),
    line(1, "c"),
    line(2, "d"),
    line(2, "e"),
    line(9, "f"),
    line(9, "g"),
  ];
  const texts = ["a", "b", "c", "d", "e", "f", "g"];
  for (let cut = 0; cut <= log.length; cut += 1)
    for (let again = cut; again <= log.length; again += 1) {
      const first = read(log.slice(0, cut), 0);
      const second = read(log.slice(0, again), first.offset);
      const third = read(log, second.offset);
      expect([...first.texts, ...second.texts, ...third.texts]).toEqual(texts);
    }
});

test("two streams may be a moment out of order", () => {
  const first = read([line(5, "a"), line(4, "b"), line(5, "c")], 0);
  expect(first.texts).toEqual(["a", "b", "c"]);
  expect(read([line(5, "a"), line(4, "b"), line(5, "c"), line(5, "d")], first.offset).texts).toEqual(["d"]);
});

test("lines from before the instance was written down count as its first", () => {
  const early = "2025-12-31T23:59:59.999Z early";
  const position = new LogPosition(0, FROM);
  expect(position.isNew(readKeptLine(early))).toBe(true);
  expect(position.offset).toBe(1);
});
