import { field } from "../calls.ts";
import type { ServerEvent } from "../sse.ts";

/** A token that told when it left: ms from there to here, and the time at which it left. */
export type Stamp = { delayMs: number; leftAt: number };

/** The stamped tokens of a stream; throws unless they are `count`, in order and each once. */
export function stampsOf(events: Iterable<ServerEvent>, count: number): Stamp[] {
  const stamps: Stamp[] = [];
  for (const { at, name, data } of events) {
    if (name !== "messages") continue;
    const text = deltaText(data);
    const [, index, time] = /^(\d+)@([\d.]+) $/.exec(text ?? "") ?? [];
    if (!time) continue;
    if (Number(index) !== stamps.length)
      throw new Error(`token ${index} came where ${stamps.length} was due`);
    const leftAt = Number(time) - performance.timeOrigin;
    stamps.push({ delayMs: at - leftAt, leftAt });
  }
  if (stamps.length !== count) throw new Error(`${stamps.length} tokens instead of ${count}`);
  return stamps;
}

/** The text that a protocol event adds to a message, if it is such an event. */
function deltaText(data: string): string | undefined {
  // Looked for before it is parsed: a measure has some hundred thousand events.
  if (!data.includes("text-delta")) return undefined;
  const event: unknown = JSON.parse(data);
  const delta = field(field(field(event, "params"), "data"), "delta");
  const text = field(delta, "text");
  return typeof text === "string" ? text : undefined;
}

/** How many tokens left per second. */
export function rateOf(stamps: Stamp[]): number {
  const span = (stamps.at(-1)?.leftAt ?? 0) - (stamps[0]?.leftAt ?? 0);
  return ((stamps.length - 1) / span) * 1000;
}
