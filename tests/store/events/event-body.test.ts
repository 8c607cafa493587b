import { expect, test } from "bun:test";
import { decodeBody, encodeBody, type StoredEvent } from "../../../store/events/event-body.ts";

test("events come back as they went in, numbered from the first", () => {
  const events = [
    { seq: 7, name: "metadata", json: '{"run_id":"x"}' },
    { seq: 8, name: "values|sub:1", json: '{"text":"tab \\t, line \\n, mark \\u0001"}' },
    { seq: 9, name: "end", json: "{}" },
  ];
  expect(decodeBody(encodeBody(events), 7, 0)).toEqual(events);
  expect(decodeBody(encodeBody(events), 7, 8)).toEqual(events.slice(2));
});

test("a tail that tokens share is stored once, and each gets it back", () => {
  const metadata = JSON.stringify({ node: "model", long: "m".repeat(500) });
  const token = (seq: number, text: string, tail = metadata) => ({
    seq,
    name: "messages",
    json: `["${text}",${tail}]`,
    tail: tail.length + 1,
  });
  const other = JSON.stringify({ node: "writer" });
  const events: StoredEvent[] = [
    token(1, "a"),
    token(2, "b"),
    { seq: 3, name: "values", json: '{"n":1}' },
    token(4, "c"),
    token(5, "d", other),
    token(6, "e"),
  ];
  const body = encodeBody(events);
  expect(body.split("m".repeat(500))).toHaveLength(3);
  expect(decodeBody(body, 1, 0)).toEqual(events);
  // A reader that joins behind a tail's first use still gets it.
  expect(decodeBody(body, 1, 3)).toEqual(events.slice(3));
});
