export { leaderJobs, RENEW_MS } from "./leader-jobs.ts";
export { Leadership } from "./leadership.ts";
export type { Machines, Parts, Probe } from "./parts.ts";
export { httpProbe } from "./probe.ts";
export { Reconciler } from "./reconciler.ts";
