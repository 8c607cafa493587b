import type { Mark } from "./mark.ts";

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
export function ChartData({ label, series, times, format, marks = [] }: ChartDataProps) {
  const from = Math.max(0, times.length - MOST);
  return (
    <table className="visually-hidden">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
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
              return <td key={name}>{value === null || value === undefined ? "none" : format(value)}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
