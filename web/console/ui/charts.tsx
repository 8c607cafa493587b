import { Suspense } from "react";
import { lazyScreen } from "../../ui/index.ts";
import type { Mark } from "./plot.tsx";
import { WORDS } from "./words.ts";
import "./charts.css";

export type Series = { name: string; values: readonly (number | null)[] };

type LineChartProps = {
  series: readonly Series[];
  /** When each value was: ISO texts or milliseconds, oldest first. */
  times: readonly (string | number)[];
  unit: string;
  /** How a value is written; without one, with the unit behind it. */
  format?: (value: number) => string;
  label?: string;
  height?: number;
};

const Plot = lazyScreen(() => import("./plot.tsx"), "Plot");

/** Values over time, one line for each series; a table of them for those who cannot see it. */
export function LineChart(props: LineChartProps) {
  const { series, times, unit, format = withUnit(unit), height = 180 } = props;
  const label = props.label ?? series.map(({ name }) => name).join(", ");
  return (
    <figure className="chart" data-testid="chart">
      <div style={{ height }} aria-hidden="true">
        <Suspense>
          <Plot kind="lines" series={series} times={times} format={format} height={height} />
        </Suspense>
      </div>
      <Legend names={series.map(({ name }) => name)} />
      <ChartData label={label} series={series} times={times} format={format} />
    </figure>
  );
}

function Legend({ names }: { names: readonly string[] }) {
  return (
    <figcaption className="chart-legend">
      {names.map((name, at) => (
        <span key={name} className={`chart-key chart-key-${at + 1}`}>
          {name}
        </span>
      ))}
    </figcaption>
  );
}

const withUnit = (unit: string) => (value: number) => {
  const text = Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 1 : 0);
  return unit === "" ? text : `${text} ${unit}`;
};

export type CountBucket = {
  /** When it begins. */
  at: string | number;
  count: number;
  /** What happened then, such as a new revision: a line with these words. */
  mark?: string;
};

type BarsProps = { buckets: readonly CountBucket[]; label?: string; name?: string; height?: number };

const format = (value: number) => String(value);

/** Counts over time, with marks of what happened meanwhile. */
export function Bars({ buckets, label = WORDS.countsOverTime, name = WORDS.count, height = 160 }: BarsProps) {
  const times = buckets.map(({ at }) => at);
  const series = [{ name, values: buckets.map(({ count }) => count) }];
  const marks = buckets.flatMap(({ at, mark }) => (mark === undefined ? [] : [{ at, mark }]));
  return (
    <figure className="chart" data-testid="chart">
      <div style={{ height }} aria-hidden="true">
        <Suspense>
          <Plot kind="bars" series={series} times={times} marks={marks} format={format} height={height} />
        </Suspense>
      </div>
      <ChartData label={label} series={series} times={times} format={format} marks={marks} />
    </figure>
  );
}

const WIDTH = 96;
const HEIGHT = 24;
const EDGE = 2;

type SparklineProps = {
  values: readonly (number | null)[];
  /** What it shows, with the newest value: those who cannot see it get nothing else. */
  label: string;
  look?: "accent" | "negative";
};

/** A line as small as a word. */
export function Sparkline({ values, label, look = "accent" }: SparklineProps) {
  const points = sparkPoints(values);
  return (
    <svg
      className={`sparkline sparkline-${look}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {points.length === 0 ? (
        <line x1={EDGE} x2={WIDTH - EDGE} y1={HEIGHT - EDGE} y2={HEIGHT - EDGE} className="sparkline-none" />
      ) : (
        <polyline points={points.map(([x, y]) => `${x},${y}`).join(" ")} />
      )}
    </svg>
  );
}

/** Where the values are in the picture; gaps are left out, and nothing is drawn of fewer than two. */
export function sparkPoints(values: readonly (number | null)[]): [x: number, y: number][] {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return [];
  const most = Math.max(...known, 0);
  const least = Math.min(...known, 0);
  const span = most - least || 1;
  const step = (WIDTH - 2 * EDGE) / (values.length - 1);
  return values.flatMap((value, at) => {
    if (value === null) return [];
    const height = ((value - least) / span) * (HEIGHT - 2 * EDGE);
    return [[round(EDGE + at * step), round(HEIGHT - EDGE - height)] as [number, number]];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

type ChartDataProps = {
  label: string;
  series: readonly { name: string; values: readonly (number | null)[] }[];
  times: readonly (string | number)[];
  format: (value: number) => string;
  marks?: readonly Mark[];
};

/** More rows than this nobody listens to: what is left out is older. */
const MOST = 60;
const when = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

/** What a chart shows, as a table for those who cannot see it. */
function ChartData({ label, series, times, format, marks = [] }: ChartDataProps) {
  const from = Math.max(0, times.length - MOST);
  return (
    <table className="visually-hidden">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">{WORDS.time}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.slice(from).map((time, at) => (
          <tr key={time}>
            <th scope="row">
              {when.format(new Date(time))} {marks.find((mark) => mark.at === time)?.mark}
            </th>
            {series.map(({ name, values }) => {
              const value = values[from + at];
              return <td key={name}>{value === null || value === undefined ? WORDS.none : format(value)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
