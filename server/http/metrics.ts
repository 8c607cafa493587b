import { Type } from "@sinclair/typebox";
import { figures } from "../access/index.ts";
import { anybody } from "../authorization/index.ts";
import { addDuration, Counts, type Durations, noDurations, type Reading } from "../readings/index.ts";
import { json } from "./answer.ts";
import { oneOf } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

/**
 * What a process counts. Counting is a few additions, for it happens on every request; prom-client, which takes
 * longer to load than a small request to answer, comes in when the metrics are read.
 */
export class Metrics {
  readonly #readings: Reading[];
  readonly #durations = new Map<string, Durations>();
  readonly #requests = new Counts("berth_http_requests_total", "HTTP requests answered", [
    "method",
    "route",
    "status",
  ]);

  constructor(readings: readonly Reading[] = []) {
    const name = "berth_http_request_duration_seconds";
    const durations = () => [...this.#durations.values()];
    this.#readings = [this.#requests, { name, help: "Time until the answer began", durations }, ...readings];
  }

  /** Tells of these, too. */
  add(readings: readonly Reading[]): void {
    this.#readings.push(...readings);
  }

  /** Counts one answered request; `route` is the template, never the path, or series would have no end. */
  observe(method: string, route: string | null, status: number, durationMs: number): void {
    const labels = { method, route: route ?? "unmatched" };
    this.#requests.add({ ...labels, status: String(status) });
    addDuration(this.#durationsOf(labels), durationMs / 1_000);
  }

  /** `GET /metrics`, in Prometheus' text form or as JSON. */
  route(): Operation {
    return operation(
      {
        method: "GET",
        path: "/metrics",
        access: figures(anybody),
        bodyLimit: "none",
        tag: "System",
        summary: "Metrics",
        description: "Counts of requests, and figures of the run queue.",
        query: Type.Object({ format: oneOf(["prometheus", "json"], { default: "prometheus" }) }),
        answers: { 200: { description: "All metrics", mediaType: "text/plain" } },
      },
      async ({ query }) => {
        const { registryOf } = await import("./metrics-registry.ts");
        const registry = registryOf(this.#readings);
        if (query.format === "json") return json(await registry.getMetricsAsJSON());
        return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
      },
    );
  }

  #durationsOf(labels: { method: string; route: string }): Durations {
    const key = `${labels.method} ${labels.route}`;
    const known = this.#durations.get(key) ?? noDurations(labels);
    this.#durations.set(key, known);
    return known;
  }
}
