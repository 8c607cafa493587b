import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Mark } from "./mark.ts";
import { axes, type Colours, coloursOf, drawMarks, nearest, seriesOptions } from "./plot-options.ts";

export type PlotProps = {
  kind: "lines" | "bars";
  series: readonly { name: string; values: readonly (number | null)[] }[];
  times: readonly (string | number)[];
  marks?: readonly Mark[];
  format: (value: number) => string;
  height: number;
};

/** The picture of a chart, as wide as its place. Loaded when a chart is first shown. */
export function Plot(props: PlotProps) {
  const { kind, series, times, marks = [], height } = props;
  const place = useRef<HTMLDivElement>(null);
  const note = useRef<HTMLDivElement>(null);
  const colours = useColours(place);
  // What is drawn is compared by its values: a list that is made anew at each render is the same picture.
  const drawn = JSON.stringify([kind, series, times, marks, height]);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = place.current;
    if (!element || !colours) return;
    const { kind, series, times, marks = [], height }: PlotProps = { ...latest.current, ...named(drawn) };
    const xs = times.map((time) => new Date(time).getTime() / 1000);
    const plot = new uPlot(
      {
        width: element.clientWidth || 300,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === "lines" } },
        scales: {
          y: { range: (_, least, most) => [Math.min(0, least ?? 0), Math.max(most ?? 0, 1) * 1.08] },
        },
        axes: axes(colours, (value) => latest.current.format(value)),
        series: seriesOptions(kind, series, colours),
        hooks: {
          draw: [(self) => drawMarks(self, marks, colours)],
          setCursor: [(self) => tell(self, note.current, latest.current)],
        },
      },
      [xs, ...series.map(({ values }) => [...values])],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [drawn, colours]);
  return (
    <div className="plot" ref={place}>
      <div className="plot-note" ref={note} hidden />
    </div>
  );
}

function named(drawn: string): Omit<PlotProps, "format"> {
  const [kind, series, times, marks, height] = JSON.parse(drawn);
  return { kind, series, times, marks, height };
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

/** The values under the pointer, in words. */
function tell(
  plot: uPlot,
  note: HTMLDivElement | null,
  { times, series, marks = [], format }: PlotProps,
): void {
  if (!note) return;
  const { idx, left = -1 } = plot.cursor;
  const time = idx === null || idx === undefined ? undefined : times[idx];
  note.hidden = time === undefined || left < 0;
  if (time === undefined || idx === null || idx === undefined) return;
  const values = series.map(({ name, values }) => {
    const value = values[idx];
    return `${name} ${value === null || value === undefined ? "–" : format(value)}`;
  });
  note.textContent = [when.format(new Date(time)), ...values, nearest(marks, time) ?? ""]
    .filter(Boolean)
    .join(" · ");
}

/** The colours of the theme, anew when it changes. */
function useColours(place: React.RefObject<HTMLElement | null>): Colours | undefined {
  const [colours, setColours] = useState<Colours>();
  useEffect(() => {
    const read = () => place.current && setColours(coloursOf(place.current));
    read();
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", read);
    const chosen = new MutationObserver(read);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", read);
      chosen.disconnect();
    };
  }, [place]);
  return colours;
}
