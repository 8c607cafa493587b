import { readFileSync, writeFileSync } from "node:fs";

/** So much more readily than Berth the kernel ends what Berth starts, of 1,000: a deployment is back in seconds. */
export const OOM_SCORE = 500;
const MOST = 1_000;

/** Has the kernel choose this process, and what it starts, before Berth when memory runs out; Linux only. */
export function offerToKernel(pid: number): void {
  if (process.platform !== "linux") return;
  try {
    const own = Number(readFileSync("/proc/self/oom_score_adj", "utf8"));
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(Math.min(MOST, own + OOM_SCORE)));
  } catch {
    // It has ended already, or the system keeps this to itself: then it is chosen by its size.
  }
}
