import type { Calls } from "./calls.ts";

/** What a job measures with: the target's calls, its CPU clock (ms), and its address and folder when it is a server. */
export type Bench = {
  calls: Calls;
  cpu: () => number | undefined;
  url: string | undefined;
  /** Of the server. */
  pid: number;
  data: string | undefined;
  /** What is there for the rounds of one measure, by name. */
  prepared: Set<string>;
};
