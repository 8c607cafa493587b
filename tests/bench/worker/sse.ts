import { field, type StreamTimes } from "./calls.ts";

/** Bytes of a response as they arrived, with the time of arrival (ms). */
export type Arrival = { at: number; bytes: Uint8Array };

export type ServerEvent = { at: number; name: string; data: string };

/** The events of an SSE body, each with the time at which its last byte arrived. Comments are left out. */
export function* serverEvents(arrivals: Iterable<Arrival>): Generator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let name = "";
  let data = "";
  for (const { at, bytes } of arrivals) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event:")) name = line.slice(6).trim();
      else if (line.startsWith("data:")) data += line.slice(5).trim();
      else if (line.trim() === "" && name !== "") {
        yield { at, name, data };
        name = "";
        data = "";
      }
    }
  }
}

/** Reads the times of one stream of numbered tokens, `t0 `, `t1 ` and so on; throws when it carried an error. */
export function streamTimes(startedAt: number, arrivals: Arrival[], closedAt: number): StreamTimes {
  let firstEventAt: number | undefined;
  let firstTokenAt = Number.NaN;
  let lastTokenAt = Number.NaN;
  let lastEventAt = Number.NaN;
  let tokens = 0;
  for (const { at, name, data } of serverEvents(arrivals)) {
    if (name === "error") throw new Error(`the stream failed: ${data.slice(0, 300)}`);
    firstEventAt ??= at;
    // `end` only announces the close; the wait that matters starts at the last event that says something.
    if (name !== "end") lastEventAt = at;
    if (name !== "messages" || tokenText(data) !== `t${tokens} `) continue;
    if (tokens === 0) firstTokenAt = at;
    lastTokenAt = at;
    tokens += 1;
  }
  return {
    firstTokenMs: firstTokenAt - startedAt,
    firstEventMs: (firstEventAt ?? Number.NaN) - startedAt,
    firstToLastTokenMs: lastTokenAt - firstTokenAt,
    lastEventToCloseMs: closedAt - lastEventAt,
    tokens,
  };
}

function tokenText(data: string): unknown {
  const tuple: unknown = JSON.parse(data);
  return Array.isArray(tuple) ? field(tuple[0], "content") : undefined;
}
