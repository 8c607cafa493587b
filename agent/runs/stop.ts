import type { CancelAction } from "@berth/store";

/** Why an attempt is told to stop. */
export type StopReason = CancelAction | "timeout" | "shutdown" | "lost";

/** The abort reason that graphs and model calls see. */
export class Stopped extends Error {
  override name = "AbortError";

  constructor(readonly why: StopReason) {
    super(`the run was stopped (${why})`);
  }
}
