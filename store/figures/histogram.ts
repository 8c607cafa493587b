/** Neighbouring bins lie so far apart: what is read of one is at most 2.5 % off. */
const GROWTH = 1.05;
const LOG_GROWTH = Math.log(GROWTH);

/** How many values fell into which bin. Bins are as wide as their values are large. */
export type Histogram = Map<number, number>;

/** The middle of values, and how far they go up. */
export type Quantiles = { p50: number; p95: number; p99: number };

/** The bin of a duration in milliseconds. */
export const binOf = (ms: number): number => (ms < 1 ? 0 : Math.round(Math.log(ms) / LOG_GROWTH) + 1);

/** The duration that a bin stands for, in milliseconds. */
const middleOf = (bin: number): number => (bin === 0 ? 0 : GROWTH ** (bin - 1));

/** Adds the counts of one to another. @param sign -1 takes them away again */
export function addHistogram(to: Histogram, from: Histogram, sign: 1 | -1 = 1): void {
  for (const [bin, count] of from) {
    const sum = (to.get(bin) ?? 0) + sign * count;
    if (sum === 0) to.delete(bin);
    else to.set(bin, sum);
  }
}

/** Null where there is no value. */
export function quantilesOf(histogram: Histogram): Quantiles | null {
  const bins = [...histogram].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = bins.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    const wanted = Math.max(1, Math.ceil(total * share));
    let seen = 0;
    const found = bins.find(([, count]) => {
      seen += count;
      return seen >= wanted;
    });
    return Math.round(middleOf(found?.[0] ?? 0));
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** As it is kept: bin, count, bin, count …, the lowest bin first. */
export const packHistogram = (histogram: Histogram): number[] =>
  [...histogram].sort(([a], [b]) => a - b).flat();

export function unpackHistogram(packed: readonly number[]): Histogram {
  const histogram: Histogram = new Map();
  for (let at = 0; at + 1 < packed.length; at += 2) histogram.set(packed[at] ?? 0, packed[at + 1] ?? 0);
  return histogram;
}
