/** A figure that is read when somebody asks: runs waiting, streams open. */
export type Figure = { name: string; help: string; read(): number | Promise<number> };

/** One of the figures of a family. */
type Sample = { labels: Readonly<Record<string, string>>; value: number };

/** Figures of one name that differ in their labels. A counter only grows, while the process lives. */
export type Family = {
  name: string;
  help: string;
  type: "counter" | "gauge";
  labels: readonly string[];
  samples(): readonly Sample[] | Promise<readonly Sample[]>;
};

/** How long things took: `buckets[i]` counts durations up to `bucketSeconds[i]`. */
export type Durations = {
  labels: Readonly<Record<string, string>>;
  buckets: number[];
  count: number;
  sumSeconds: number;
};

/** Durations of one name. */
export type TimingReading = { name: string; help: string; durations(): readonly Durations[] };

/** What `/metrics` shows. */
export type Reading = Figure | Family | TimingReading;

export const bucketSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];

export function noDurations(labels: Durations["labels"] = {}): Durations {
  return { labels, buckets: bucketSeconds.map(() => 0), count: 0, sumSeconds: 0 };
}

export function addDuration(durations: Durations, seconds: number): void {
  durations.count += 1;
  durations.sumSeconds += seconds;
  const bucket = bucketSeconds.findIndex((limit) => seconds <= limit);
  if (bucket !== -1) durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1;
}

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
