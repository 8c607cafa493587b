import type { Line, Row } from "./line.ts";

export type Verdict = { toPeer?: number; toBare?: number; goal: string; verdict: "ok" | "miss" | "?" | "" };

/** Compares Berth's figure with its goal; `?` when a figure that the goal needs is absent. */
export function judge({ line, values }: Row): Verdict {
  const { berth, peer, bare } = values;
  const { goal, better } = line;
  const toPeer = ratio(berth, peer);
  const toBare = ratio(berth, bare);
  const verdict = { toPeer, toBare, goal: describeGoal(line) };
  if (!goal) return { ...verdict, verdict: "" };
  const reaches = (value: number | undefined, bound: number | undefined, way: Line["better"]) => {
    if (bound === undefined) return true;
    if (value === undefined) return undefined;
    return way === "more" ? value >= bound : value <= bound;
  };
  const parts = [
    reaches(toPeer, goal.peer, better),
    reaches(toBare, goal.bare, better),
    reaches(berth, goal.most, "less"),
    reaches(berth, goal.least, "more"),
  ];
  if (parts.includes(false)) return { ...verdict, verdict: "miss" };
  return { ...verdict, verdict: parts.includes(undefined) ? "?" : "ok" };
}

/** The table as text: one row a line, ratios of Berth to the others, the goal and whether it is reached. */
export function table(rows: Row[]): string {
  const head = ["line", "", "unit", "Berth", "peer", "bare", "× peer", "× bare", "goal", ""];
  const body = rows.map((row) => {
    const { toPeer, toBare, goal, verdict } = judge(row);
    const { berth, peer, bare } = row.values;
    const numbers = [berth, peer, bare, toPeer, toBare].map(shown);
    return [row.line.id, row.line.title, row.line.unit, ...numbers, goal, verdict];
  });
  const all = [head, ...body];
  const widths = head.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
  const isNumber = (column: number) => column >= 3 && column <= 7;
  const pad = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return all.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

/** Says how many goals are reached. */
export function summary(rows: Row[]): string {
  const verdicts = rows.map((row) => judge(row).verdict);
  const count = (verdict: string) => verdicts.filter((each) => each === verdict).length;
  return `${count("ok")} goals reached, ${count("miss")} missed, ${count("?")} not judged`;
}

function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base === 0 ? undefined : value / base;
}

function describeGoal({ goal, better, unit }: Line): string {
  const sign = better === "more" ? "≥" : "≤";
  const times = (bound: number) =>
    bound < 1 && better === "less" ? `1/${Math.round(1 / bound)}` : `${bound}`;
  const { peer, bare, most, least } = goal ?? {};
  const parts = [
    peer === undefined ? undefined : `${sign} ${times(peer)} × peer`,
    bare === undefined ? undefined : `${sign} ${times(bare)} × bare`,
    most === undefined ? undefined : `≤ ${most} ${unit}`,
    least === undefined ? undefined : `≥ ${least} ${unit}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(3);
}
