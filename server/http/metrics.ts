import { Type } from "@sinclair/typebox";
import { json } from "./answer.ts";
import { oneOf } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";
import { bucketSeconds, type Reading, type Tally } from "./tally.ts";

/**
 * What a process counts. Counting is a few additions, for it happens on every request; prom-client, which takes
 * longer to load than a small request to answer, comes in when the metrics are read.
 */
export class Metrics {
  readonly #readings: readonly Reading[];
  readonly #tallies = new Map<string, Tally>();

  constructor(readings: readonly Reading[] = []) {
    this.#readings = readings;
  }

  /** Counts one answered request; `route` is the template, never the path, or series would have no end. */
  observe(method: string, route: string | null, status: number, durationMs: number): void {
    const tally = this.#tallyOf(method, route ?? "unmatched");
    const seconds = durationMs / 1_000;
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    tally.count += 1;
    tally.sumSeconds += seconds;
    const bucket = bucketSeconds.findIndex((limit) => seconds <= limit);
    if (bucket !== -1) tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
  }

  /** `GET /metrics`, in Prometheus' text form or as JSON. */
  route(): Operation {
    return operation(
      {
        method: "GET",
        path: "/metrics",
        tag: "System",
        summary: "Metrics",
        description: "Counters of requests, and figures of the run queue.",
        query: Type.Object({ format: oneOf(["prometheus", "json"], { default: "prometheus" }) }),
        answers: { 200: { description: "All metrics", mediaType: "text/plain" } },
      },
      async ({ query }) => {
        const { registryOf } = await import("./metrics-registry.ts");
        const registry = registryOf([...this.#tallies.values()], this.#readings);
        if (query.format === "json") return json(await registry.getMetricsAsJSON());
        return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
      },
    );
  }

  #tallyOf(method: string, route: string): Tally {
    const known = this.#tallies.get(`${method} ${route}`);
    if (known !== undefined) return known;
    const buckets = bucketSeconds.map(() => 0);
    const tally = { method, route, statuses: new Map(), buckets, count: 0, sumSeconds: 0 };
    this.#tallies.set(`${method} ${route}`, tally);
    return tally;
  }
}
