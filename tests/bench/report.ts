import type { Line, Row, Spread } from "./line.ts";

export type Verdict = {
  toPeer?: number | undefined;
  toBare?: number | undefined;
  goal: string;
  verdict: "ok" | "miss" | "?" | "";
  /** By how much of its goal a line misses it, in percent; absent where the goal is 0. */
  missesBy?: number;
};

type Part = { value: number | undefined; bound: number | undefined; way: Line["better"] };

/** Compares Berth's figure with its goal; `?` when a figure that the goal needs is absent. */
export function judge({ line, values, pairs }: Row): Verdict {
  const { berth, peer, bare } = values;
  const { goal, better } = line;
  const toPeer = pairs?.peer?.median ?? ratio(berth, peer);
  const toBare = pairs?.bare?.median ?? ratio(berth, bare);
  const verdict = { toPeer, toBare, goal: describeGoal(line) };
  if (!goal) return { ...verdict, verdict: "" };
  const over = goal.over === undefined || bare === undefined ? undefined : bare + goal.over;
  const all: (Part | false)[] = [
    goal.peer !== undefined && { value: toPeer, bound: goal.peer, way: better },
    goal.bare !== undefined && { value: toBare, bound: goal.bare, way: better },
    goal.over !== undefined && { value: berth, bound: over, way: "less" },
    goal.most !== undefined && { value: berth, bound: goal.most, way: "less" },
    goal.least !== undefined && { value: berth, bound: goal.least, way: "more" },
  ];
  const misses = all.map((part) => (part === false ? 0 : missOf(part)));
  const worst = Math.max(...misses.filter((miss) => miss !== undefined));
  if (worst > 0)
    return { ...verdict, verdict: "miss", ...(Number.isFinite(worst) && { missesBy: worst * 100 }) };
  return { ...verdict, verdict: misses.includes(undefined) ? "?" : "ok" };
}

/** How far a value is from its bound, as a part of the bound; 0 when it is within. */
function missOf({ value, bound, way }: Part): number | undefined {
  if (value === undefined || bound === undefined) return undefined;
  const miss = way === "more" ? bound - value : value - bound;
  return miss <= 0 ? 0 : miss / bound;
}

/** The table as text: one row a line, ratios of Berth to the others, the goal and whether it is reached. */
export function table(rows: Row[]): string {
  const head = ["line", "", "unit", "Berth", "peer", "bare", "× peer", "× bare", "goal", ""];
  const body = rows.map((row) => {
    const judged = judge(row);
    const { toPeer, toBare, goal } = judged;
    const { berth, peer, bare } = row.values;
    const numbers = [berth, peer, bare, toPeer, toBare].map(shown);
    return [row.line.id, row.line.title, row.line.unit, ...numbers, goal, said(judged)];
  });
  return columns([head, ...body], (column) => column >= 3 && column <= 7);
}

/** What two commits differ by, line by line; `differs` where half of all pairs, and not only the middle one, do. */
export function comparison(rows: Row[]): string {
  const head = ["line", "", "unit", "now", "before", "now over before", "half of all pairs", "pairs", ""];
  const body = rows.map(({ line, values, pairs }) => {
    const { berth, before } = values;
    const { median = ratio(berth, before), spread, count } = pairs?.before ?? {};
    const between = spread ? `${shown(spread[0])} to ${shown(spread[1])}` : "-";
    const numbers = [shown(berth), shown(before), shown(median), between, `${count ?? "-"}`];
    return [line.id, line.title, line.unit, ...numbers, difference(line, spread)];
  });
  return columns([head, ...body], (column) => column >= 3 && column <= 7);
}

/** From so much on, beyond the spread, a line differs. */
const DIFFERS = 0.03;

function difference({ better }: Line, spread: Spread | undefined): string {
  if (!spread) return "";
  const isMore = spread[0] > 1 + DIFFERS;
  if (!isMore && spread[1] >= 1 - DIFFERS) return "";
  return isMore === (better === "more") ? "better" : "worse";
}

function columns(all: string[][], isNumber: (column: number) => boolean): string {
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(...all.map((cells) => cells[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return all.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

/** Whether a goal is reached, and if not, by how much it is missed. */
export function said({ verdict, missesBy }: Verdict): string {
  if (verdict !== "miss") return verdict;
  return missesBy === undefined ? "misses" : `misses by ${Math.max(1, Math.round(missesBy))} %`;
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
  const { peer, bare, over, most, least } = goal ?? {};
  const parts = [
    peer === undefined ? undefined : `${sign} ${times(peer)} × peer`,
    bare === undefined ? undefined : `${sign} ${times(bare)} × bare`,
    over === undefined ? undefined : `≤ bare + ${over} ${unit}`,
    most === undefined ? undefined : `≤ ${most} ${unit}`,
    least === undefined ? undefined : `≥ ${least} ${unit}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** A figure with three digits that count. */
export function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toPrecision(3);
}
