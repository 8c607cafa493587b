import type { Job } from "../../clock/index.ts";
import type { Leadership } from "./leadership.ts";
import type { Reconciler } from "./reconciler.ts";

const RECONCILE_MS = 250;
/** The gateway has it look at once when a request finds that nothing answers. */
const SUPERVISE_MS = 1_000;
const LEASE_MS = 1_000;
/** Several renewals can be late before the lease is over. */
export const RENEW_MS = 4_000;

/** What brings deployments about. */
export const leaderJobs = (leadership: Leadership, reconciler: Reconciler): Job[] => {
  return [
    { name: "control.lease", everyMs: LEASE_MS, once: () => leadership.once() },
    {
      name: "control.reconcile",
      everyMs: RECONCILE_MS,
      once: () => reconciler.once(),
      rests: () => !reconciler.hasSteps,
    },
    {
      name: "control.supervise",
      everyMs: SUPERVISE_MS,
      once: () => reconciler.supervise(),
      rests: () => !reconciler.hasWork,
    },
  ];
};
