export { callOf } from "./call.ts";
export { FigureCounting } from "./counting.ts";
export { DEFAULT_PRICES, DEFAULT_PRICES_DATE } from "./default-prices.ts";
export { FIGURE_GROUPS, type GroupName } from "./names.ts";
export { type ModelPrice, ModelPrices, PriceBook } from "./prices.ts";
export {
  type FoundFigures,
  LONGEST_RANGE_MS,
  RunFigures,
  type RunValues,
  stepFor,
} from "./run-figures.ts";
export { addUsage, usageIn, usageText } from "./sums.ts";
