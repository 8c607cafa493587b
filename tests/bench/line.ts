import { median, quantile } from "./worker/drive.ts";
import type { Bounds, Figures, Job } from "./worker/job.ts";

/** In the order of measuring: those whose ratio is the closest call follow one another. */
export const TARGETS = ["berth", "before", "bare", "peer"] as const;
/** `before` is Berth as it was at the commit that one compares with (`--against`). */
export type TargetName = (typeof TARGETS)[number];
/** What Berth is compared with. */
export type Other = Exclude<TargetName, "berth">;

/** What Berth has to reach: a ratio to the peer or to bare, a bound on its own figure, or bare and so much `over` it. */
export type Goal = { peer?: number; bare?: number; most?: number; least?: number; over?: number };

/** One line of the table: a figure of a measure, and which way is better. */
export type Line = {
  id: string;
  title: string;
  unit: string;
  better: "more" | "less";
  figure: string;
  goal?: Goal;
};

/** A job that is done on every target of `on`, in turns, and the lines that are read from it. */
export type Measure = {
  on: readonly TargetName[];
  lines: Line[];
  /** Bare is called over HTTP, from the least server there can be. */
  served?: boolean;
  /** How often it is done on each target, if not as often as its kind of job is. */
  rounds?: number;
  job: (bounds: Bounds, target: TargetName) => Job;
};

/** Measures that share servers. */
export type Group = {
  /** The heading of its lines. */
  section: string;
  measures: Measure[];
  /** What the servers are told. */
  environment?: Record<string, string>;
  /** Only measured when somebody asks for the long part. */
  isLong?: boolean;
};

/** What starts its own servers, in the bench's own process. */
export type OwnMeasure = { section: string; lines: Line[]; take: (options: Taken) => Promise<Samples> };
export type Taken = {
  quick: boolean;
  /** Those of the targets that are measured. */
  names: (wanted: readonly TargetName[]) => TargetName[];
  /** Whose sources, if not these. */
  rootOf: (name: TargetName) => string | undefined;
};

/** What was found on each target, round by round. */
export type Samples = Map<TargetName, Figures[]>;

export const SERVERS = ["berth", "before", "peer"] as const;
export const BERTH = ["berth", "before"] as const;
export const BERTH_AND_BARE = ["berth", "before", "bare"] as const;

export const more = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "more", figure, goal },
});
export const less = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "less", figure, goal },
});

/** Half of all values lie between the two. */
export type Spread = [low: number, high: number];

/** The figures of one line by target: medians; a target is absent that has no such figure or failed. */
export type Row = {
  line: Line;
  values: Partial<Record<TargetName, number>>;
  /** Of those that were measured more than once. */
  spread?: Partial<Record<TargetName, Spread>>;
  /** Berth over another, from round to round, where both were measured in the same rounds. */
  pairs?: Partial<Record<Other, { median: number; spread: Spread; count: number }>>;
};

/** What the rounds say of one line. */
export function rowOf(line: Line, samples: Samples): Row {
  const row: Row = { line, values: {} };
  const found = new Map(
    [...samples].map(([name, rounds]) => [name, rounds.map((figures) => figures[line.figure])]),
  );
  for (const [name, rounds] of found) {
    const values = rounds.filter((value) => value !== undefined);
    if (values.length === 0) continue;
    row.values[name] = median(values);
    if (values.length > 1) row.spread = { ...row.spread, [name]: spreadOf(values) };
    const pairs = name === "berth" ? undefined : ratiosOf(found.get("berth") ?? [], rounds);
    if (pairs) row.pairs = { ...row.pairs, [name]: pairs };
  }
  return row;
}

const spreadOf = (values: number[]): Spread => [quantile(values, 0.25), quantile(values, 0.75)];

type Rounds = (number | undefined)[];

function ratiosOf(ours: Rounds, theirs: Rounds) {
  if (ours.length !== theirs.length) return undefined;
  const ratios = ours.flatMap((value, round) => {
    const base = theirs[round];
    return value === undefined || base === undefined || base === 0 ? [] : [value / base];
  });
  if (ratios.length < 2) return undefined;
  return { median: median(ratios), spread: spreadOf(ratios), count: ratios.length };
}
