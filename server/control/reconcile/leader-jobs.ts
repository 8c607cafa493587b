import type { Job } from "../../clock/index.ts";
import type { Leadership } from "./leadership.ts";
import type { Reconciler } from "./reconciler.ts";

const RECONCILE_MS = 250;
const LEASE_MS = 1_000;
/** Several renewals can be late before the lease is over. */
export const RENEW_MS = 4_000;

/** What brings deployments about. */
export const leaderJobs = (leadership: Leadership, reconciler: Reconciler): Job[] => {
  const rests = () => !reconciler.hasWork;
  return [
    { name: "control.lease", everyMs: LEASE_MS, once: () => leadership.once() },
    { name: "control.reconcile", everyMs: RECONCILE_MS, once: () => reconciler.once(), rests },
    { name: "control.supervise", everyMs: RECONCILE_MS, once: () => reconciler.supervise(), rests },
  ];
};
