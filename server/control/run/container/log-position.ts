/** A line as the engine keeps it; the time is null for what goes on with the line before. */
export type KeptLine = { at: number | null; text: string };

const PER_MS = 10_000;
const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))(?: |$)(.*)$/s;

/** Reads a line of `logs --timestamps`. */
export function readKeptLine(line: string): KeptLine {
  const [, time = "", text = ""] = LINE.exec(line) ?? [];
  // Engines count nanoseconds, dates here milliseconds.
  const at = Date.parse(time.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(at) ? { at: null, text: line } : { at, text };
}

/**
 * How far a container's log was read, as one number for the instance's row: the millisecond of the last line, counted
 * from when the instance was made, and how many lines of that millisecond were taken. An engine gives the lines since
 * a time, so those of the same time come again.
 */
export class LogPosition {
  readonly #from: number;
  #ms: number;
  #taken: number;
  /** Lines that come again, of the millisecond at which the reading goes on. */
  #again: number;
  readonly #resumedAt: number;
  #isTaking = false;

  constructor(offset: number, from: number) {
    this.#from = from;
    this.#ms = Math.floor(offset / PER_MS);
    this.#taken = offset % PER_MS;
    this.#again = this.#taken;
    this.#resumedAt = this.#ms;
  }

  /** From when on lines are to be asked for. */
  get since(): string {
    return new Date(this.#from + this.#ms).toISOString();
  }

  get offset(): number {
    return this.#ms * PER_MS + Math.min(this.#taken, PER_MS - 1);
  }

  /** Whether this line is a new one; lines have to come in the log's order. */
  isNew({ at }: KeptLine): boolean {
    if (at === null) return this.#isTaking;
    const ms = Math.max(at - this.#from, 0);
    this.#isTaking = ms > this.#resumedAt || (ms === this.#resumedAt && this.#again-- <= 0);
    if (this.#isTaking) this.#move(ms);
    return this.#isTaking;
  }

  #move(ms: number): void {
    // Two streams of one container may be a moment out of order.
    if (ms < this.#ms) return;
    this.#taken = ms === this.#ms ? this.#taken + 1 : 1;
    this.#ms = ms;
  }
}
