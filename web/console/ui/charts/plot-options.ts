import uPlot from "uplot";
import type { Mark } from "./mark.ts";

/** What a canvas cannot read from the stylesheet itself. */
export type Colours = { text: string; line: string; mark: string; series: string[]; font: string };

const SERIES = ["--chart-1", "--chart-2", "--chart-3", "--chart-4"];

/** The theme's colours as they are now: a custom property gives `light-dark(…)`, an element's colour does not. */
export function coloursOf(place: HTMLElement): Colours {
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

export function axes({ text, line, font }: Colours, format: (value: number) => string): uPlot.Axis[] {
  const grid = { stroke: line, width: 1 };
  const both = { stroke: text, font, ticks: { show: false } };
  return [
    { ...both, grid: { show: false }, space: 80, size: 28, values: (_, splits) => splits.map(clock(splits)) },
    { ...both, grid, size: 56, space: 36, values: (_, splits) => splits.map(format) },
  ];
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

export function seriesOptions(
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
      const known = values.filter((value) => value !== null).length;
      return { label: name, stroke, width: 1.5, points: { show: known < 3, size: 5, fill: stroke } };
    }),
  ];
}

/** A dashed line at each mark. */
export function drawMarks(plot: uPlot, marks: readonly Mark[], { mark: colour }: Colours): void {
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
