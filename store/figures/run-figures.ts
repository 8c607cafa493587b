import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import type { RunFigureRow } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import { STEPS_S, sumsIn } from "./counting.ts";
import { type Quantiles, quantilesOf } from "./histogram.ts";
import { type FigureGroup, type GroupName, groupNames } from "./names.ts";
import type { PriceBook } from "./prices.ts";
import { addCalls, addRuns, type ModelUsage, noCalls, noRuns, type RunSums } from "./sums.ts";

const DAY_MS = 86_400_000;
/** How long the buckets of each length are kept: minutes for two days, hours for six weeks, days for 400. */
const KEPT_MS: Record<number, number> = { 60: 2 * DAY_MS, 3600: 42 * DAY_MS, 86400: 400 * DAY_MS };
/** Rows that one statement reads. */
const BUCKETS_AT_ONCE = 60;
/** Counting ends there. */
const MOST_RUNNING = 10_000;
/** The largest come first. */
const MOST_GROUPS = 100;

type FigureQuery = {
  from: number;
  /** Not part of it. */
  to: number;
  /** How long a bucket is; see `stepFor`. */
  stepMs: number;
  sessionIds?: readonly string[] | undefined;
  /** Empty for runs of no revision. */
  revisionId?: string | undefined;
  assistantId?: string | undefined;
  /** Only calls of this model; empty for those that said none. */
  model?: string | undefined;
  by?: FigureGroup | undefined;
  /** How many groups, the largest, have figures over time; 6 unless told. */
  series?: number | undefined;
};

/** What runs did, or what calls of a model did where only these are asked for. */
export type RunValues = {
  /** Null where only calls of a model are asked for: a run may call several. */
  runs: number | null;
  errors: number;
  interrupted: number;
  cancelled: number;
  latency: Quantiles | null;
  firstToken: Quantiles | null;
  calls: number;
  failedCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** US dollars, of the models whose price is known. */
  cost: number;
  /** Models that are not part of the cost. */
  unpriced: string[];
};

export type FoundFigures = {
  from: number;
  to: number;
  stepMs: number;
  total: RunValues;
  buckets: (RunValues & { start: number })[];
  /** The largest first; empty where nothing is told apart. */
  groups: { key: string; total: RunValues; buckets: (RunValues & { start: number })[] | null }[];
  /** There are more groups. */
  isCut: boolean;
};

/** What runs did over time: read from what was added up as they ended, so that a range costs what its buckets do, however many runs they hold. */
export class RunFigures {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  async read(workspaceId: string, query: FigureQuery, prices: PriceBook): Promise<FoundFigures> {
    const { stepMs, by, series: most = 6 } = query;
    const from = query.from - (query.from % stepMs);
    const starts = startsOf(from, query.to, stepMs);
    const all = new Series(stepMs, prices);
    const groups = new Map<string, Series>();
    for await (const row of this.#rows(workspaceId, { ...query, from })) {
      const sums = narrowed(sumsIn(row), query.model);
      all.add(row.start, sums);
      for (const [key, part] of parts(row, sums, by)) {
        const group = groups.get(key) ?? new Series(stepMs, prices);
        groups.set(key, group.add(row.start, part));
      }
    }
    const ofCalls = query.model !== undefined;
    const sorted = [...groups].sort(([, a], [, b]) => b.size - a.size);
    return {
      from,
      to: query.to,
      stepMs,
      total: all.total(ofCalls),
      buckets: all.buckets(starts, ofCalls),
      groups: sorted.slice(0, MOST_GROUPS).map(([key, series], at) => ({
        key,
        total: series.total(ofCalls || by === "model"),
        buckets: at < most ? series.buckets(starts, ofCalls || by === "model") : null,
      })),
      isCut: sorted.length > MOST_GROUPS,
    };
  }

  /** How many runs are under way, of those that began within a day; 10,000 at most. */
  async running(workspaceId: string, sessionIds?: readonly string[]): Promise<number> {
    const underWay = this.db.read
      .selectFrom("traces")
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .where("status", "=", "pending")
      // The index by status leaves out what went well, and is used only where the search says that it may.
      .where("status", "<>", sql.lit("success" as const))
      .where("start_time", ">=", this.clock.now() - DAY_MS)
      .$if(sessionIds !== undefined, (some) => some.where("session_id", "in", [...(sessionIds ?? [])]))
      .limit(MOST_RUNNING);
    const { count } = await this.db.read
      .selectFrom(underWay.as("under_way"))
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** What groups are called. */
  names(workspaceId: string, by: FigureGroup, keys: readonly string[]): Promise<Map<string, GroupName>> {
    return groupNames(this.db, workspaceId, by, keys);
  }

  /** Removes buckets whose time is over. */
  async sweep(): Promise<void> {
    const workspaces = await this.db.read.selectFrom("workspaces").select("id").execute();
    for (const { id } of workspaces) for (const step of STEPS_S) await this.#sweepStep(id, step);
  }

  async #sweepStep(workspaceId: string, step: number): Promise<void> {
    const before = this.clock.now() - (KEPT_MS[step] ?? 0);
    const due = await this.db.read
      .selectFrom("run_figures")
      .select("start")
      .where("workspace_id", "=", workspaceId)
      .where("step_s", "=", step)
      .where("start", "<", before)
      .orderBy("start")
      .limit(1)
      .executeTakeFirst();
    if (!due) return;
    // An hour's worth at a time: a step that was never swept may be long.
    const until = Math.min(before, due.start + step * 1_000 * BUCKETS_AT_ONCE);
    await this.db.write((tx) =>
      tx
        .deleteFrom("run_figures")
        .where("workspace_id", "=", workspaceId)
        .where("step_s", "=", step)
        .where("start", "<", until)
        .execute(),
    );
  }

  async *#rows(workspaceId: string, query: FigureQuery): AsyncGenerator<RunFigureRow> {
    const { from, to, stepMs, sessionIds, revisionId, assistantId } = query;
    const step = keptStep(stepMs);
    const turns = new Turns();
    const length = step * 1_000 * BUCKETS_AT_ONCE;
    for (let start = from; start < to; start += length) {
      const rows = await this.db.read
        .selectFrom("run_figures")
        .selectAll()
        .where("workspace_id", "=", workspaceId)
        .where("step_s", "=", step)
        .where("start", ">=", start)
        .where("start", "<", Math.min(to, start + length))
        .$if(sessionIds !== undefined, (some) => some.where("session_id", "in", [...(sessionIds ?? [])]))
        .$if(revisionId !== undefined, (some) => some.where("revision_id", "=", revisionId ?? ""))
        .$if(assistantId !== undefined, (some) => some.where("assistant_id", "=", assistantId ?? ""))
        .orderBy("start")
        .execute();
      for (const row of rows) {
        yield row;
        await turns.rest();
      }
    }
  }
}

/** How long the buckets of a range are: some sixty to two hundred of them, of a length that is still kept. */
export function stepFor(from: number, to: number, now: number): number {
  const wanted = STEPS.find(
    ({ stepMs, longestMs }) => to - from <= longestMs && now - from <= (KEPT_MS[keptStep(stepMs)] ?? 0),
  );
  return wanted?.stepMs ?? DAY_MS;
}

/** The longest range of each step. */
const HOUR_MS = 3_600_000;
const STEPS = [
  { stepMs: 60_000, longestMs: 2 * HOUR_MS },
  { stepMs: 300_000, longestMs: 8 * HOUR_MS },
  { stepMs: 900_000, longestMs: 30 * HOUR_MS },
  { stepMs: HOUR_MS, longestMs: 8 * DAY_MS },
  { stepMs: 6 * HOUR_MS, longestMs: 35 * DAY_MS },
  { stepMs: DAY_MS, longestMs: 400 * DAY_MS },
];

/** The longest range that can be asked for. */
export const LONGEST_RANGE_MS = 400 * DAY_MS;

/** The kept buckets, in seconds, that a step is made of. */
const keptStep = (stepMs: number): number =>
  STEPS_S.findLast((step) => stepMs % (step * 1_000) === 0) ?? STEPS_S[0];

function startsOf(from: number, to: number, stepMs: number): number[] {
  const starts: number[] = [];
  for (let start = from; start < to; start += stepMs) starts.push(start);
  return starts;
}

/** What is left of runs where only the calls of one model are asked for. */
function narrowed(sums: RunSums, model: string | undefined): RunSums {
  if (model === undefined) return sums;
  const calls = sums.usage.get(model);
  return { ...noRuns(), usage: new Map(calls ? [[model, calls]] : []) };
}

/** Which groups a row adds to, and what. */
function parts(row: RunFigureRow, sums: RunSums, by: FigureGroup | undefined): [string, RunSums][] {
  if (by === undefined) return [];
  if (by === "model")
    return [...sums.usage].map(([model, calls]) => [
      model,
      { ...noRuns(), usage: new Map([[model, calls]]) },
    ]);
  const key = { session: row.session_id, revision: row.revision_id, assistant: row.assistant_id }[by];
  return [[key, sums]];
}

/** Sums over time. */
class Series {
  readonly #buckets = new Map<number, RunSums>();
  /** Runs, or calls where there are no runs: what groups are sorted by. */
  size = 0;

  constructor(
    private readonly stepMs: number,
    private readonly prices: PriceBook,
  ) {}

  add(at: number, sums: RunSums): this {
    const start = at - (at % this.stepMs);
    const bucket = this.#buckets.get(start) ?? noRuns();
    this.#buckets.set(start, bucket);
    addRuns(bucket, sums);
    this.size += sums.runs || callsOf(sums.usage).calls;
    return this;
  }

  buckets(starts: readonly number[], ofCalls: boolean): (RunValues & { start: number })[] {
    return starts.map((start) => ({
      start,
      ...valuesOf(this.#buckets.get(start) ?? noRuns(), ofCalls, [[start, this.#usage(start)]], this.prices),
    }));
  }

  /** Each bucket at the prices of its time. */
  total(ofCalls: boolean): RunValues {
    const sums = noRuns();
    for (const bucket of this.#buckets.values()) addRuns(sums, bucket);
    const usages = [...this.#buckets].map(([start, { usage }]): [number, ModelUsage] => [start, usage]);
    return valuesOf(sums, ofCalls, usages, this.prices);
  }

  #usage(start: number): ModelUsage {
    return this.#buckets.get(start)?.usage ?? new Map();
  }
}

function callsOf(usage: ModelUsage) {
  const all = noCalls();
  for (const calls of usage.values()) addCalls(all, calls);
  return all;
}

function valuesOf(
  sums: RunSums,
  ofCalls: boolean,
  usages: readonly [start: number, ModelUsage][],
  prices: PriceBook,
): RunValues {
  const calls = callsOf(sums.usage);
  const costs = usages.map(([start, usage]) => prices.cost(usage, start));
  const unpriced = new Set(costs.flatMap((cost) => [...cost.unpriced]));
  return {
    runs: ofCalls ? null : sums.runs,
    errors: ofCalls ? calls.errors : sums.errors,
    interrupted: sums.interrupted,
    cancelled: sums.cancelled,
    latency: quantilesOf(ofCalls ? calls.latency : sums.latency),
    firstToken: quantilesOf(ofCalls ? calls.firstToken : sums.firstToken),
    calls: calls.calls,
    failedCalls: calls.errors,
    inputTokens: calls.inputTokens,
    outputTokens: calls.outputTokens,
    cacheReadTokens: calls.cacheRead,
    cacheWriteTokens: calls.cacheWrite,
    cost: costs.reduce((sum, { dollars }) => sum + dollars, 0),
    unpriced: [...unpriced].sort(),
  };
}
