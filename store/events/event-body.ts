import { type PackedText, unpackText } from "../database/index.ts";
import type { EventRow, Instant } from "../schema/index.ts";

/** The last event of every run; it stays in the log and is not shown to readers of run streams. */
export const END = "end";

/** One event of the log as it is stored: its JSON is never parsed on the way through. */
export type StoredEvent = {
  seq: number;
  name: string;
  json: string;
  /** So many characters at the end of `json` are likely those of the event before: stored once, not again. */
  tail?: number;
};

/** Stands between an event's own JSON and its tail; JSON has no bare control characters. */
const TAIL = "\u0001";
/** Begins the body of several segments: a line with the times of each. */
const TIMES = "\u0002";

/** Events that were committed together, and when. */
type Part = { count: number; at: Instant };

/**
 * The text of a segment: one event a line, name, tab, JSON. A run's tokens carry the same metadata each, ten
 * times the size of the token; a line that ends in the mark goes on like the tail before it.
 */
export function encodeBody(events: StoredEvent[]): string {
  let body = "";
  let shared: string | undefined;
  for (const { name, json, tail } of events) {
    if (!tail) {
      body += `${name}\t${json}\n`;
      continue;
    }
    const end = json.slice(-tail);
    body += `${name}\t${json.slice(0, -tail)}${TAIL}${end === shared ? "" : end}\n`;
    shared = end;
  }
  return body;
}

/** The events of a segment behind `after`; numbers are consecutive, so only the first is stored. */
export function decodeBody(packed: PackedText, firstSeq: number, after: number): StoredEvent[] {
  const body = unpackText(packed);
  const events: StoredEvent[] = [];
  let shared = "";
  let seq = firstSeq;
  let start = body.startsWith(TIMES) ? body.indexOf("\n") + 1 : 0;
  while (start < body.length) {
    const tab = body.indexOf("\t", start);
    const end = body.indexOf("\n", tab);
    let json = body.slice(tab + 1, end);
    const mark = json.indexOf(TAIL);
    let tail: number | undefined;
    if (mark >= 0) {
      shared = mark < json.length - 1 ? json.slice(mark + 1) : shared;
      json = json.slice(0, mark) + shared;
      tail = shared.length;
    }
    if (seq > after) events.push({ seq, name: body.slice(start, tab), json, ...(tail && { tail }) });
    seq += 1;
    start = end + 1;
  }
  return events;
}

/**
 * The text of several segments. In front of it stands for each how many events it had, and how long (ms) after the one
 * before it was committed.
 */
export function encodeParts(events: StoredEvent[], parts: readonly Part[]): string {
  let before = 0;
  const times: string[] = [];
  for (const { count, at } of parts) {
    times.push(`${count} ${at - before}`);
    before = at;
  }
  return `${TIMES}${times.join(",")}\n${encodeBody(events)}`;
}

/** The segments that a row holds; itself, where it was not folded. */
export function partsOf({ first_seq, last_seq, at, body }: EventRow): Part[] {
  const text = unpackText(body);
  if (!text.startsWith(TIMES)) return [{ count: last_seq - first_seq + 1, at }];
  let before = 0;
  const times = text.slice(TIMES.length, text.indexOf("\n"));
  return times.split(",").map((part) => {
    const [count = 0, since = 0] = part.split(" ").map(Number);
    before += since;
    return { count, at: before };
  });
}
