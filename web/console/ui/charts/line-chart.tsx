import { lazy, Suspense } from "react";
import "./charts.css";
import { ChartData } from "./chart-data.tsx";

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

const Plot = lazy(() => import("./plot.tsx").then(({ Plot }) => ({ default: Plot })));

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
