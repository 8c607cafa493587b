/** US dollars for a million tokens. What a cache held or took costs what other input costs, where nothing is said. */
export type TokenPrice = {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write: number | null;
};

/** When the newest of the prices below were read from their provider's list. */
export const DEFAULT_PRICES_DATE = "2026-10-24";

/**
 * List prices, without discounts for batches and without surcharges for long inputs. Looked up, not remembered: a
 * model whose price could not be confirmed is not here, and a cache price that could not be is left out.
 */
const LIST: Record<
  string,
  readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number]
> = {
  // The model that the templates use without a key.
  offline: [0, 0],
  // OpenAI: its own pages for GPT-3.5 Turbo and GPT-4 Turbo, else lists of others that agree, read until June 2026.
  "gpt-5.5": [5, 30, 0.5],
  "gpt-5.5-pro": [30, 180],
  "gpt-5.4": [2.5, 15, 0.25],
  "gpt-5.4-mini": [0.75, 4.5, 0.075],
  "gpt-5.4-nano": [0.2, 1.25, 0.02],
  "gpt-5.4-pro": [30, 180],
  "gpt-5.2": [1.75, 14],
  "gpt-5.2-pro": [21, 168],
  "gpt-5.1": [1.25, 10, 0.125],
  "gpt-5": [1.25, 10, 0.125],
  "gpt-5-mini": [0.25, 2, 0.025],
  "gpt-5-nano": [0.05, 0.4, 0.005],
  "gpt-5-pro": [15, 120],
  "gpt-4.1": [2, 8, 0.5],
  "gpt-4.1-mini": [0.4, 1.6, 0.1],
  "gpt-4.1-nano": [0.1, 0.4, 0.025],
  "gpt-4o": [2.5, 10, 1.25],
  "gpt-4o-mini": [0.15, 0.6, 0.075],
  "gpt-4-turbo": [10, 30],
  "gpt-4": [30, 60],
  "gpt-3.5-turbo": [0.5, 1.5],
  o1: [15, 60, 7.5],
  o3: [2, 8, 0.5],
  "o3-mini": [1.1, 4.4, 0.55],
  "o3-pro": [20, 80],
  "o4-mini": [1.1, 4.4, 0.275],
  // Anthropic's price list, read in October 2026. Writes are those of the cache of five minutes.
  "claude-fable-5-1": [10, 50, 0.25, 12.5],
  "claude-fable-5": [10, 50, 1, 12.5],
  "claude-opus-5-5": [4, 20, 0.2, 5],
  "claude-opus-5": [5, 25, 0.5, 6.25],
  "claude-opus-4-8": [5, 25, 0.5, 6.25],
  "claude-opus-4-7": [5, 25, 0.5, 6.25],
  "claude-opus-4-6": [5, 25, 0.5, 6.25],
  "claude-opus-4-5": [5, 25, 0.5, 6.25],
  "claude-opus-4-1": [15, 75, 1.5, 18.75],
  "claude-opus-4": [15, 75, 1.5, 18.75],
  "claude-sonnet-5-5": [2, 10, 0.1, 2.5],
  "claude-sonnet-5": [2, 10, 0.2, 2.5],
  "claude-sonnet-4-6": [3, 15, 0.3, 3.75],
  "claude-sonnet-4-5": [3, 15, 0.3, 3.75],
  "claude-sonnet-4": [3, 15, 0.3, 3.75],
  "claude-haiku-5-5": [0.1, 0.5, 0.01, 0.125],
  "claude-haiku-4-5": [1, 5, 0.1, 1.25],
  "claude-3-7-sonnet": [3, 15, 0.3, 3.75],
  "claude-3-5-sonnet": [3, 15, 0.3, 3.75],
  "claude-3-5-haiku": [0.8, 4, 0.08, 1],
  "claude-3-opus": [15, 75, 1.5, 18.75],
  "claude-3-haiku": [0.25, 1.25, 0.03, 0.3],
  // Google's price list of the Gemini API, read in October 2026; older models before.
  "gemini-3.5-flash": [1.5, 9],
  "gemini-3.5-flash-lite": [0.3, 2.5],
  "gemini-3.1-pro-preview": [2, 12],
  "gemini-3-pro-preview": [2, 12],
  "gemini-2.5-pro": [1.25, 10, 0.125],
  "gemini-2.5-flash": [0.3, 2.5, 0.03],
  "gemini-2.5-flash-lite": [0.1, 0.4, 0.01],
  "gemini-2.0-flash": [0.1, 0.4],
  "gemini-2.0-flash-lite": [0.075, 0.3],
};

export const DEFAULT_PRICES: ReadonlyMap<string, TokenPrice> = new Map(
  Object.entries(LIST).map(([model, [input, output, cacheRead = null, cacheWrite = null]]) => [
    model,
    { input, output, cache_read: cacheRead, cache_write: cacheWrite },
  ]),
);
