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
  sub: "Runs that have ended, by start time",
  prices: "Prices",
  csv: "CSV",
  none: "No runs in this time",
  noneText: "Remove a filter, or choose a longer time.",
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
  latencyOverTime: "Latency over time",
  firstTokenOverTime: "Time to first token over time",
  tokens: "Tokens",
  tokensOverTime: "Tokens over time",
  costOverTime: "Cost over time",
  overTime: (size: string) => `${size} over time`,
  p95OfBoth: "p95 latency of both revisions",
  figure: "Figure",
  p95Latency: "p95 latency",
  p99Latency: "p99 latency",
  medianLatency: "Median latency",
  tokensPerRun: "Tokens per run",
  costPerRun: "Cost per run",
  time: "Time",
  project: "Project",
  allProjects: "All projects",
  revision: "Revision",
  assistant: "Assistant",
  name: "Name",
  others: "Others",
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
  figures: "Figures",
  needsModel: "Enter the name of the model",
  change: "Change",
  changeOf: (model: string) => `Change ${model}`,
  changed: "Changed",
  deleteOf: (model: string) => `Delete ${model}`,
  wasDeleted: (model: string) => `The price of ${model} was deleted.`,
  deleteQuestion: (model: string) => `Delete the price of ${model}?`,
  deleteNote: "From now on, costs leave it out, also those of the past.",
  delete: "Delete",
  save: "Save",
  priceOf: (model: string) => `Price of ${model}`,
  perMillion: (kind: string) => `${kind}, $ per million tokens`,
} as const;

/** What a person can do there, for docs/console.md, and the page that says more. */
export const ABOUT = {
  figures: {
    page: "issue-api.md#figures",
    does: "see runs, errors, latency, time to the first token, tokens and cost over time, by project, revision, assistant and model; compare two revisions; set prices of models; save all of it as CSV",
  },
} as const;
