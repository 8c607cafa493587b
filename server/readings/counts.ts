import {
  addDuration,
  type Durations,
  type Family,
  noDurations,
  type Sample,
  type TimingReading,
} from "./tally.ts";

/** Counts what happens, by labels; for `/metrics`. Labels take few values, or series would have no end. */
export class Counts<Label extends string = never> implements Family {
  readonly type = "counter";
  readonly #samples = new Map<string, { labels: Record<Label, string>; value: number }>();

  constructor(
    readonly name: string,
    readonly help: string,
    readonly labels: readonly Label[] = [],
  ) {}

  add(labels: Record<Label, string>, by = 1): void {
    const key = this.labels.map((label) => labels[label]).join(" ");
    const known = this.#samples.get(key);
    if (known) known.value += by;
    else this.#samples.set(key, { labels, value: by });
  }

  samples(): readonly Sample[] {
    // Without labels there is one figure from the start.
    if (this.labels.length === 0 && this.#samples.size === 0) return [{ labels: {}, value: 0 }];
    return [...this.#samples.values()];
  }
}

/** Notes how long something takes; for `/metrics`. */
export class Timings implements TimingReading {
  readonly #durations: Durations = noDurations();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  add(seconds: number): void {
    addDuration(this.#durations, seconds);
  }

  durations(): readonly Durations[] {
    return [this.#durations];
  }
}
