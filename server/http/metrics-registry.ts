import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { bucketSeconds, type Reading, type Tally } from "./tally.ts";

const durationName = "berth_http_request_duration_seconds";
const durationHelp = "Time until the answer began";

/** A prom-client registry that holds what was counted so far. Durations are seconds until the answer began. */
export function registryOf(tallies: readonly Tally[], readings: readonly Reading[]): Registry {
  const registry = new Registry();
  const requests = new Counter({
    name: "berth_http_requests_total",
    help: "HTTP requests answered",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  for (const { method, route, statuses } of tallies)
    for (const [status, count] of statuses) requests.inc({ method, route, status }, count);
  registry.registerMetric(new CountedDurations(tallies));
  for (const { name, help, read } of readings)
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  return registry;
}

/** prom-client's histogram takes single observations only; this one gives out those already counted. */
class CountedDurations extends Histogram<"method" | "route"> {
  readonly #tallies: readonly Tally[];

  constructor(tallies: readonly Tally[]) {
    super({ name: durationName, help: durationHelp, registers: [], buckets: bucketSeconds });
    this.#tallies = tallies;
  }

  /** What the registry asks for, in both forms; not in prom-client's types. */
  async getForPromString() {
    const values = this.#tallies.flatMap(seriesOf);
    return { name: durationName, help: durationHelp, type: "histogram", aggregator: "sum", values };
  }
}

function seriesOf({ method, route, buckets, count, sumSeconds }: Tally) {
  const series = (suffix: string, value: number, labels: { le?: number | string } = {}) => ({
    metricName: `${durationName}_${suffix}`,
    labels,
    sharedLabels: { method, route },
    value,
  });
  let below = 0;
  const cumulative = bucketSeconds.map((le, at) => {
    below += buckets[at] ?? 0;
    return series("bucket", below, { le });
  });
  return [
    ...cumulative,
    series("bucket", count, { le: "+Inf" }),
    series("sum", sumSeconds),
    series("count", count),
  ];
}
