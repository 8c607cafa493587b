import { originsOf } from "./branches.ts";
import type { Timeline } from "./timeline.ts";

/** When a tool was called and when it had answered, in milliseconds. */
export type Timing = { start?: number; end?: number };

/** The times of tool calls by their id: when the checkpoints with the call and with its answer were written. */
export function timingsOf(timeline: Timeline): ReadonlyMap<string, Timing> {
  const timings = new Map<string, Timing>();
  const origins = originsOf(timeline);
  for (const message of timeline.messages.values()) {
    const at = origins.get(message.id)?.snapshot.at;
    for (const { id } of message.toolCalls) timings.set(id, { ...timings.get(id), start: at });
    if (message.answers) timings.set(message.answers, { ...timings.get(message.answers), end: at });
  }
  return timings;
}
