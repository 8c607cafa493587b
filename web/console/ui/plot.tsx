import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

type PlotProps = {
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

/** What a canvas cannot read from the stylesheet itself. */
export type Colours = { text: string; line: string; mark: string; series: string[]; font: string };

const SERIES = ["--chart-1", "--chart-2", "--chart-3", "--chart-4"];

/** The theme's colours as they are now: a custom property gives `light-dark(…)`, an element's colour does not. */
function coloursOf(place: HTMLElement): Colours {
  const probe = document.createElement("span");
  // Where less motion is wanted every element has a transition, however short: it would still have the colour before.
  probe.style.transition = "none";
  place.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const { fontFamily } = getComputedStyle(place);
  const colours = {
    text: colour("--text-muted"),
    line: colour("--border"),
    mark: colour("--accent"),
    series: SERIES.map(colour),
    font: `11px ${fontFamily}`,
  };
  probe.remove();
  return colours;
}

function axes({ text, line, font }: Colours, format: (value: number) => string): uPlot.Axis[] {
  const grid = { stroke: line, width: 1 };
  const both = { stroke: text, font, ticks: { show: false } };
  return [
    { ...both, grid: { show: false }, space: 80, size: 28, values: (_, splits) => splits.map(clock(splits)) },
    { ...both, grid, size: 56, space: 36, values: (_, splits) => tickTexts(splits, format) },
  ];
}

/** What stands at the lines of a scale; two with the same rounded value would contradict each other. */
function tickTexts(splits: readonly number[], format: (value: number) => string): string[] {
  const texts = splits.map(format);
  return texts.map((text, at) => (text === texts[at + 1] ? "" : text));
}

const DAY_S = 86_400;
const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const daysAndHours = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit" });
const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** Times of day within a day, days beyond half a week, and between these both. */
function clock(splits: number[]) {
  const span = (splits.at(-1) ?? 0) - (splits[0] ?? 0);
  const format = span > 3.5 * DAY_S ? days : span > DAY_S ? daysAndHours : hours;
  return (seconds: number) => format.format(new Date(seconds * 1000));
}

function seriesOptions(
  kind: "lines" | "bars",
  series: readonly { name: string; values: readonly (number | null)[] }[],
  { series: colours }: Colours,
): uPlot.Series[] {
  const bars = uPlot.paths.bars?.({ size: [0.7, 24], radius: 0.2 });
  return [
    {},
    ...series.map(({ name, values }, at): uPlot.Series => {
      const stroke = colours[at % colours.length] ?? "gray";
      if (kind === "bars")
        return {
          label: name,
          stroke,
          fill: stroke,
          width: 0,
          points: { show: false },
          ...(bars && { paths: bars }),
        };
      // A lone value between gaps has no line, so it is shown as a point.
      const lone = loneAt(values);
      const points = { show: lone.length > 0, size: 5, fill: stroke, filter: () => lone };
      return { label: name, stroke, width: 1.5, points };
    }),
  ];
}

/** Where values are that have none beside them. */
const loneAt = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  );

/** A dashed line at each mark. */
function drawMarks(plot: uPlot, marks: readonly Mark[], { mark: colour }: Colours): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(1, window.devicePixelRatio);
  ctx.setLineDash([4, 3]);
  for (const { at } of marks) {
    const x = Math.round(plot.valToPos(new Date(at).getTime() / 1000, "x", true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** What is marked at a time. */
export const nearest = (marks: readonly Mark[], time: string | number): string | undefined =>
  marks.find(({ at }) => at === time)?.mark;

/** Something that happened at the time of a chart's bucket. */
export type Mark = { at: string | number; mark: string };
