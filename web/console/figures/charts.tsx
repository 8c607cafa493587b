import type { RunFigures } from "@berth/server";
import { LineChart, moneyText, Section } from "../ui/index.ts";
import { countText, msText, sizeOf, tokenText } from "./values.ts";
import { WORDS } from "./words.ts";

const HEIGHT = 150;

type RunBucket = RunFigures["buckets"][number];
type ChartShown = {
  title: string;
  /** For those who cannot see it. */
  label: string;
  format: (value: number) => string;
  lines: readonly [name: string, value: (bucket: RunBucket) => number | null | undefined][];
};

const CHARTS: readonly ChartShown[] = [
  {
    ...{ title: WORDS.latency, label: WORDS.latencyOverTime, format: msText },
    lines: [
      [WORDS.median, ({ latency_ms }) => latency_ms?.p50],
      ["p95", ({ latency_ms }) => latency_ms?.p95],
      ["p99", ({ latency_ms }) => latency_ms?.p99],
    ],
  },
  {
    ...{ title: WORDS.firstToken, label: WORDS.firstTokenOverTime, format: msText },
    lines: [
      [WORDS.median, ({ first_token_ms }) => first_token_ms?.p50],
      ["p95", ({ first_token_ms }) => first_token_ms?.p95],
    ],
  },
  {
    ...{ title: WORDS.tokens, label: WORDS.tokensOverTime, format: tokenText },
    lines: [
      [WORDS.tokensIn, ({ input_tokens }) => input_tokens],
      [WORDS.tokensOut, ({ output_tokens }) => output_tokens],
    ],
  },
  {
    ...{ title: WORDS.cost, label: WORDS.costOverTime, format: moneyText },
    lines: [[WORDS.cost, ({ cost }) => cost]],
  },
];

/** The figures over time. */
export function Charts({ figures: { buckets, total } }: { figures: RunFigures }) {
  const size = total.runs === null ? WORDS.calls : WORDS.runs;
  const counts: ChartShown = {
    ...{ title: size, label: WORDS.overTime(size), format: countText },
    lines: [
      [size, sizeOf],
      [WORDS.errors, ({ errors }) => errors],
    ],
  };
  return (
    <div className="figure-charts">
      {[counts, ...CHARTS].map(({ title, label, format, lines }) => (
        <Section key={title} title={title}>
          <LineChart
            label={label}
            unit=""
            height={HEIGHT}
            format={format}
            times={buckets.map(({ start }) => start)}
            series={lines.map(([name, value]) => ({
              name,
              values: buckets.map((bucket) => value(bucket) ?? null),
            }))}
          />
        </Section>
      ))}
    </div>
  );
}
