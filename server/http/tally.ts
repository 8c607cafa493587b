/** A figure that is read when somebody asks: runs waiting, streams open. */
export type Reading = { name: string; help: string; read(): number | Promise<number> };

/** What was counted of one method and route. `buckets[i]` counts durations up to `bucketSeconds[i]`. */
export type Tally = {
  method: string;
  route: string;
  statuses: Map<number, number>;
  buckets: number[];
  count: number;
  sumSeconds: number;
};

export const bucketSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120];
