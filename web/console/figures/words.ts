// What the screens of figures say, in one place, so that it can be read in one go.

export const RANGES = [
  { value: "1h", label: "Last hour" },
  { value: "6h", label: "Last 6 hours" },
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
  { value: "1y", label: "Last year" },
] as const;

export const GROUPS = [
  { value: "session", label: "By project" },
  { value: "revision", label: "By revision" },
  { value: "assistant", label: "By assistant" },
  { value: "model", label: "By model" },
] as const;

/** What a group without a key is. */
export const NAMELESS = {
  session: "Unknown project",
  revision: "Without a revision",
  assistant: "Without an assistant",
  model: "Unknown model",
} as const;

export const WORDS = {
  title: "Figures",
  sub: "Runs that ended, by when they started",
  prices: "Prices",
  csv: "CSV",
  none: "No runs in this time",
  noneText: "Choose a longer time, or take a filter away.",
  runs: "Runs",
  calls: "Model calls",
  errors: "Errors",
  errorRate: "Error rate",
  latency: "Latency",
  median: "Median",
  firstToken: "Time to first token",
  tokensIn: "Tokens in",
  tokensOut: "Tokens out",
  cost: "Cost",
  compare: "Compare two revisions",
  compareFirst: "First revision",
  compareSecond: "Second revision",
  compareNone: "Choose a revision",
  change: "Change",
  unpriced: (models: readonly string[]) =>
    `The cost leaves out ${models.map((model) => model || "calls without a model’s name").join(", ")}: no price is known.`,
  setPrice: "Set prices",
  moreGroups: "Only the 100 largest are shown.",
} as const;

export const PRICE_WORDS = {
  title: "Model prices",
  sub: "US dollars per million tokens",
  new: "New price",
  own: "Your prices",
  ownNone: "No prices of your own. Those below are used.",
  defaults: "Prices that come with Berth",
  defaultsNote: (date: string) => `List prices as of ${date}. Check them against your provider’s.`,
  model: "Model",
  input: "Input",
  output: "Output",
  cacheRead: "Read from cache",
  cacheWrite: "Written to cache",
  since: "Valid from",
  always: "Always",
  asInput: "As input",
  hint: "Also found without its provider (openai/…) and its date (…-2024-08-06).",
  sinceHint: "Empty: also for all runs before.",
  notNumber: "Enter a number, 0 or more",
  needsModel: "Enter the name of the model",
} as const;
