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
export function decodeBody(body: string, firstSeq: number, after: number): StoredEvent[] {
  const events: StoredEvent[] = [];
  let shared = "";
  let seq = firstSeq;
  let start = 0;
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
