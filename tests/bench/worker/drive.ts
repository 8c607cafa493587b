import type { Bounds } from "./job.ts";

type Call<T> = { ms: number; value: T };

export type Driven<T> = {
  calls: Call<T>[];
  /** The sum of what each client finished per second of its own time, so that the slow last ones do not count as idle. */
  perSecond: number;
  /** CPU ms per call, of everything from the first call to the last; absent where the system does not tell. */
  cpuMs: number | undefined;
};

/**
 * Calls `once` from `clients` loops at the same time, first unmeasured to warm up, then measured.
 * `cpu` gives the CPU ms that the measured process has used so far. The first failing call fails the job.
 */
export async function drive<T>(
  bounds: Bounds,
  clients: number,
  once: (client: number) => Promise<T>,
  cpu: () => number | undefined,
): Promise<Driven<T>> {
  const everyClient = (ms: number, limit: number) =>
    Promise.all(Array.from({ length: clients }, (_, client) => loop(ms, limit, () => once(client))));
  await everyClient(bounds.warmMs, bounds.limit);
  const before = cpu();
  const loops = await everyClient(bounds.measureMs, bounds.limit);
  const after = cpu();
  const calls = loops.flatMap((finished) => finished.calls);
  const cpuMs = before === undefined || after === undefined ? undefined : (after - before) / calls.length;
  return {
    calls,
    perSecond: loops.reduce((sum, { calls, ms }) => sum + (calls.length / ms) * 1000, 0),
    cpuMs,
  };
}

async function loop<T>(ms: number, limit: number, once: () => Promise<T>) {
  const calls: Call<T>[] = [];
  const startedAt = performance.now();
  let now = startedAt;
  while (calls.length < limit && now - startedAt < ms) {
    const value = await once();
    const finishedAt = performance.now();
    calls.push({ ms: finishedAt - now, value });
    now = finishedAt;
  }
  return { calls, ms: now - startedAt };
}

/** The value below which `part` (0 to 1) of the values lie; NaN of none. */
export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);
