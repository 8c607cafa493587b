/** How a deployment ended, as far as this command saw it. */
export type DeployOutcome = "succeeded" | "submitted" | "failed" | "timed_out" | "skipped" | "interrupted";

export type Result = {
  status: DeployOutcome;
  message: string;
  /** Why it did not succeed, as the server or this command puts it. */
  reason?: string;
  deployment_id?: string;
  revision_id?: string;
  revision_status?: string;
  url?: string;
  status_url?: string;
};

/** Tells how a command gets on: as lines for a person, or as one JSON object per line for a program. */
export interface Output {
  /** The next step begins. */
  step(message: string): void;
  /** More about the step. */
  info(message: string): void;
  /** Something to know that is not about the step. */
  note(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Something goes on that takes a while; shown until the next line, where lines can be taken back. */
  waiting(message: string): void;
  /** The revision's state, at every look at it. */
  status(status: string, elapsedMs: number): void;
  /** The states are over: nothing more is shown as going on. */
  settled(): void;
  upload(sizeMb: string, percent: number): void;
  /** A line of a log. */
  log(line: string): void;
  /**
   * How it ended; nothing is told behind that.
   * @param more a line about what that means
   */
  result(result: Result, more?: string): void;
}
