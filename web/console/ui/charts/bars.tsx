import { lazy, Suspense } from "react";
import { ChartData } from "./chart-data.tsx";
import "./charts.css";

export type Bucket = {
  /** When it begins. */
  at: string | number;
  count: number;
  /** What happened then, such as a new revision: a line with these words. */
  mark?: string;
};

type BarsProps = { buckets: readonly Bucket[]; label?: string; name?: string; height?: number };

const Plot = lazy(() => import("./plot.tsx").then(({ Plot }) => ({ default: Plot })));
const format = (value: number) => String(value);

/** Counts over time, with marks of what happened meanwhile. */
export function Bars({ buckets, label = "Counts over time", name = "Count", height = 160 }: BarsProps) {
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
