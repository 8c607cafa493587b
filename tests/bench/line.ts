import type { Bounds, Job } from "./worker/job.ts";

/** In the order of measuring: the two whose ratio is the closest call follow one another. */
export const TARGETS = ["berth", "bare", "peer"] as const;
export type TargetName = (typeof TARGETS)[number];

/** What Berth has to reach: a ratio to the peer, a ratio to the bare limit, or a bound on its own figure. */
export type Goal = { peer?: number; bare?: number; most?: number; least?: number };

/** One line of the table: a figure of a measure, and which way is better. */
export type Line = {
  id: string;
  title: string;
  unit: string;
  better: "more" | "less";
  figure: string;
  goal?: Goal;
};

/** A job that is done on every target of `on`, one after the other, and the lines that are read from it. */
export type Measure = {
  on: readonly TargetName[];
  lines: Line[];
  /** Bare is called over HTTP, from the least server there can be. */
  served?: boolean;
  /** The server has a key, as whoever deploys needs one. */
  keyed?: boolean;
  job: (bounds: Bounds, target: TargetName) => Job;
};

export const SERVERS = ["berth", "peer"] as const;

export const more = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "more", figure, goal },
});
export const less = (id: string, title: string, unit: string, figure: string, goal?: Goal): Line => ({
  ...{ id, title, unit, better: "less", figure, goal },
});

/** The figures of one line by target; a target is absent that has no such figure or failed. */
export type Row = {
  line: Line;
  values: Partial<Record<TargetName, number>>;
  /** Where a figure is a median: the least and the most that it is of. */
  spread?: Partial<Record<TargetName, [least: number, most: number]>>;
};
