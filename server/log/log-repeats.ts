import type { LogRecord } from "@logtape/logtape";

const WINDOW_MS = 60_000;
const MOST_KNOWN = 1_000;

type Seen = { at: number; leftOut: number };

/**
 * Says of each line about an error whether it is news: a disk that is full fails everything that ticks, many times a
 * second, and whoever looks for the cause finds it under a million lines, on that very disk.
 */
export class Repeats {
  readonly #seen = new Map<string, Seen>();

  /** The line, with how many of its like were left out before it; undefined for one that is left out now. */
  take(record: LogRecord): LogRecord | undefined {
    const { error } = record.properties;
    if (!(error instanceof Error)) return record;
    const name = nameOf(record, error);
    const seen = this.#seen.get(name);
    if (seen && record.timestamp - seen.at < WINDOW_MS) {
      seen.leftOut += 1;
      return undefined;
    }
    // What was last told longest ago is the first to be forgotten.
    this.#seen.delete(name);
    this.#seen.set(name, { at: record.timestamp, leftOut: 0 });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_KNOWN && oldest !== undefined) this.#seen.delete(oldest);
    if (!seen?.leftOut) return record;
    return { ...record, properties: { ...record.properties, repeats: seen.leftOut } };
  }
}

/** The same error at the same place of the same area. */
function nameOf({ category, level, message }: LogRecord, { name, message: text, stack = "" }: Error): string {
  const place = /^\s+at .*$/m.exec(stack)?.[0] ?? "";
  return JSON.stringify([category, level, message.join(""), name, text, place]);
}
