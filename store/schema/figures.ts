import type { Instant, Json } from "./columns.ts";

/** Runs that began within one minute, hour or day, added up. */
export type RunFigureRow = {
  workspace_id: string;
  /** How long the bucket is: 60, 3600 or 86400 seconds. */
  step_s: number;
  /** When it begins. */
  start: Instant;
  session_id: string;
  /** Empty for runs of no revision, or of no assistant. */
  revision_id: string;
  assistant_id: string;
  runs: number;
  errors: number;
  interrupted: number;
  cancelled: number;
  /** Histograms (`store/figures/histogram.ts`). */
  latency: Json;
  first_token: Json;
  /** As in `TraceRow`. */
  model_usage: Json | null;
};

/** What a model costs, in US dollars for a million tokens; a workspace's own word, before the list that Berth brings. */
export type ModelPriceRow = {
  id: string;
  workspace_id: string;
  /** In lower case. */
  model: string;
  /** From then on; 0 for always. */
  since: Instant;
  input: number;
  output: number;
  /** Null where it costs what other input costs. */
  cache_read: number | null;
  cache_write: number | null;
  updated_at: Instant;
};

export type FigureTables = {
  run_figures: RunFigureRow;
  model_prices: ModelPriceRow;
};
