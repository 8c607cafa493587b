import { Counter, Gauge, Histogram, Registry } from "prom-client";
import {
  bucketSeconds,
  type Durations,
  type Family,
  type Figure,
  type Reading,
  type TimingReading,
} from "../readings/index.ts";

/** A prom-client registry that reads what was counted so far when somebody asks it. */
export function registryOf(readings: readonly Reading[]): Registry {
  const registry = new Registry();
  for (const reading of readings) {
    if ("read" in reading) registry.registerMetric(gaugeOf(reading));
    else if ("samples" in reading) registry.registerMetric(familyOf(reading));
    else registry.registerMetric(new CountedDurations(reading));
  }
  return registry;
}

function gaugeOf({ name, help, read }: Figure): Gauge {
  return new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await read());
    },
  });
}

function familyOf(family: Family): Counter | Gauge {
  const { name, help, type } = family;
  const options = { name, help, labelNames: [...family.labels], registers: [] };
  const kind = type === "counter" ? Counter : Gauge;
  return new kind({
    ...options,
    async collect() {
      const samples = await family.samples();
      this.reset();
      for (const { labels, value } of samples) this.inc(labels, value);
    },
  });
}

/** prom-client's histogram takes single observations only; this one gives out those already counted. */
class CountedDurations extends Histogram {
  readonly #timing: TimingReading;

  constructor(timing: TimingReading) {
    super({ name: timing.name, help: timing.help, registers: [], buckets: bucketSeconds });
    this.#timing = timing;
  }

  /** What the registry asks for, in both forms; not in prom-client's types. */
  async getForPromString() {
    const { name, help } = this.#timing;
    const values = this.#timing.durations().flatMap((durations) => seriesOf(name, durations));
    return { name, help, type: "histogram", aggregator: "sum", values };
  }
}

function seriesOf(name: string, { labels: sharedLabels, buckets, count, sumSeconds }: Durations) {
  const series = (suffix: string, value: number, labels: { le?: number | string } = {}) => ({
    metricName: `${name}_${suffix}`,
    labels,
    sharedLabels,
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
