import { durationText, moneyText } from "../ui/index.ts";

import type { FigureValues } from "./use-figures.ts";

const counts = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
export const countText = (count: number): string => counts.format(count);
export const tokenText = (count: number): string => compact.format(count);

export const msText = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? "–" : durationText(ms);

/** How many there are: runs, or calls of a model. */
export const sizeOf = ({ runs, model_calls }: FigureValues): number => runs ?? model_calls;

export function rateText(values: FigureValues): string {
  const size = sizeOf(values);
  if (size === 0) return "–";
  const percent = (values.errors / size) * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** The cost, and a sign where it is not all of it. */
export function costText({ cost, unpriced_models }: FigureValues): string {
  if (unpriced_models.length === 0) return moneyText(cost);
  return cost === 0 ? "unknown" : `${moneyText(cost)} +?`;
}
