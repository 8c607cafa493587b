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

/** Until its place has a width. */
const NARROW = 300;
/** What is above the highest value, so that its line is not cut. */
const HEADROOM = 1.08;

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
    const plot = draw(element, colours, named(drawn), {
      format: (value) => latest.current.format(value),
      pointed: (self) => tell(self, note.current, latest.current),
    });
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [drawn, colours, height]);
  return (
    <div className="plot" ref={place}>
      <div className="plot-note" ref={note} hidden />
    </div>
  );
}

type Drawn = Omit<PlotProps, "format">;
type Reactions = { format: (value: number) => string; pointed: (plot: uPlot) => void };

function draw(element: HTMLElement, colours: Colours, drawn: Drawn, { format, pointed }: Reactions): uPlot {
  const { kind, series, times, marks = [], height } = drawn;
  return new uPlot(
    {
      width: element.clientWidth || NARROW,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === "lines" } },
      scales: {
        y: { range: (_, least, most) => [Math.min(0, least ?? 0), Math.max(most ?? 0, 1) * HEADROOM] },
      },
      axes: axes(colours, format),
      series: seriesOptions(kind, series, colours),
      hooks: { draw: [(self) => drawMarks(self, marks, colours)], setCursor: [pointed] },
    },
    [times.map((time) => new Date(time).getTime() / 1000), ...series.map(({ values }) => [...values])],
    element,
  );
}

function named(drawn: string): Drawn {
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
