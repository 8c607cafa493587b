import type { CancelAction } from "@berth/store";

/** Why an attempt is told to stop. */
export type StopReason = CancelAction | "timeout" | "shutdown" | "lost";

/** The abort reason that graphs and model calls see. */
export class Stopped extends Error {
  override name = "AbortError";
  /** A graph in another process has stopped, and one of its nodes has not. */
  nodeRuns = false;

  constructor(readonly why: StopReason) {
    super(`the run was stopped (${why})`);
  }
}

/** The executor of an attempt is gone, and the attempt with it. */
export class ExecutorLost extends Error {
  override name = "ExecutorLost";

  /** @param alone nothing else ran there, so it was this run's own doing */
  constructor(
    message: string,
    readonly alone: boolean,
  ) {
    super(message);
  }
}

/** An executor computes, and what it was asked can be asked elsewhere. */
export class ExecutorBusy extends Error {
  override name = "ExecutorBusy";

  constructor() {
    super("A node keeps its executor busy");
  }
}
