import type { Settings } from "../settings/index.ts";
import type { Parts } from "./reconcile/index.ts";

const DAY_MS = 86_400_000;

/** Returns what the reconciler needs of the settings, with durations in milliseconds. */
export function reconcileSettings({ control, quotas, shutdownGraceSeconds }: Settings): Parts["settings"] {
  return {
    concurrency: control.deployConcurrency,
    workspaceConcurrency: quotas.builds ?? Math.max(1, control.deployConcurrency - 1),
    deployTimeoutMs: control.deployTimeoutSeconds * 1_000,
    settleMs: control.deploySettleSeconds * 1_000,
    drainMs: control.drainSeconds * 1_000,
    stopGraceMs: shutdownGraceSeconds * 1_000,
    hangMs: control.hangSeconds * 1_000,
    sleepMs: control.sleepMinutes * 60_000,
    keptBuilds: control.keptBuilds,
    buildRetentionMs: control.buildRetentionDays * DAY_MS,
    limits: control.limits,
  };
}
