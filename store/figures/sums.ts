import { addHistogram, binOf, type Histogram, packHistogram, unpackHistogram } from "./histogram.ts";

/** Calls of one model, added up. */
export type ModelSums = {
  calls: number;
  errors: number;
  /** All of the input, also what came from a cache or went into one. */
  inputTokens: number;
  outputTokens: number;
  /** Of the input tokens: those that a cache of the provider held, and those that were put into it. */
  cacheRead: number;
  cacheWrite: number;
  latency: Histogram;
  firstToken: Histogram;
};

/** Calls of models by the name of the model; "" for those that say none. */
export type ModelUsage = Map<string, ModelSums>;

/** Runs, added up. */
export type RunSums = {
  runs: number;
  /** Failed ones, and those whose time was over. */
  errors: number;
  interrupted: number;
  cancelled: number;
  latency: Histogram;
  /** From the start of a run to the first token of any of its models. */
  firstToken: Histogram;
  usage: ModelUsage;
};

/** More models than this of one bucket are added up under one name. */
const MOST_MODELS = 50;
export const OTHER = "other";

export const noRuns = (): RunSums => ({
  ...{ runs: 0, errors: 0, interrupted: 0, cancelled: 0 },
  ...{ latency: new Map(), firstToken: new Map(), usage: new Map() },
});

export const noCalls = (): ModelSums => ({
  ...{ calls: 0, errors: 0, inputTokens: 0, outputTokens: 0, cacheRead: 0, cacheWrite: 0 },
  ...{ latency: new Map(), firstToken: new Map() },
});

/** Adds one to another. @param sign -1 takes it away again */
export function addRuns(to: RunSums, from: RunSums, sign: 1 | -1 = 1): void {
  to.runs += sign * from.runs;
  to.errors += sign * from.errors;
  to.interrupted += sign * from.interrupted;
  to.cancelled += sign * from.cancelled;
  addHistogram(to.latency, from.latency, sign);
  addHistogram(to.firstToken, from.firstToken, sign);
  addUsage(to.usage, from.usage, sign);
}

export function addUsage(to: ModelUsage, from: ModelUsage, sign: 1 | -1 = 1): void {
  for (const [model, calls] of from) {
    const name = to.has(model) || to.size < MOST_MODELS ? model : OTHER;
    const sums = to.get(name) ?? noCalls();
    addCalls(sums, calls, sign);
    if (isNothing(sums)) to.delete(name);
    else to.set(name, sums);
  }
}

export function addCalls(to: ModelSums, from: ModelSums, sign: 1 | -1 = 1): void {
  to.calls += sign * from.calls;
  to.errors += sign * from.errors;
  to.inputTokens += sign * from.inputTokens;
  to.outputTokens += sign * from.outputTokens;
  to.cacheRead += sign * from.cacheRead;
  to.cacheWrite += sign * from.cacheWrite;
  addHistogram(to.latency, from.latency, sign);
  addHistogram(to.firstToken, from.firstToken, sign);
}

const isNothing = ({ calls, inputTokens, outputTokens }: ModelSums): boolean =>
  calls === 0 && inputTokens === 0 && outputTokens === 0;

/** A histogram of one duration; an empty one of none. */
export const oneDuration = (ms: number | null): Histogram => new Map(ms === null ? [] : [[binOf(ms), 1]]);

/** The calls of one model as they are kept, in this order for ever. */
type PackedCalls = [
  calls: number,
  errors: number,
  inputTokens: number,
  outputTokens: number,
  cacheRead: number,
  cacheWrite: number,
  latency: number[],
  firstToken: number[],
];

/** Null for none: most spans are no calls of models. */
export function usageText(usage: ModelUsage): string | null {
  if (usage.size === 0) return null;
  const packed = [...usage].map(([model, sums]): [string, PackedCalls] => {
    const { calls, errors, inputTokens, outputTokens, cacheRead, cacheWrite, latency, firstToken } = sums;
    const tokens = [inputTokens, outputTokens, cacheRead, cacheWrite] as const;
    return [model, [calls, errors, ...tokens, packHistogram(latency), packHistogram(firstToken)]];
  });
  return JSON.stringify(packed);
}

export function usageIn(text: string | null): ModelUsage {
  if (text === null) return new Map();
  const packed: [string, PackedCalls][] = JSON.parse(text);
  return new Map(
    packed.map(
      ([model, [calls, errors, inputTokens, outputTokens, cacheRead, cacheWrite, latency, first]]) => [
        model,
        {
          ...{ calls, errors, inputTokens, outputTokens, cacheRead, cacheWrite },
          ...{ latency: unpackHistogram(latency), firstToken: unpackHistogram(first) },
        },
      ],
    ),
  );
}
