/** What a command's exit code says. A CI job can tell a failed deployment from one that it gave up on. */
export const EXIT = { done: 0, failed: 1, usage: 2, timedOut: 3, notDeployed: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command cannot do what it was asked to; the message says why, and what to do about it. */
export class DeployFailure extends Error {
  override name = "DeployFailure";

  constructor(
    message: string,
    readonly code: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** No answer came: nobody knows whether the request arrived. */
export class Unreachable extends DeployFailure {
  override name = "Unreachable";
}

/** The server said no. */
export class DeployRefused extends DeployFailure {
  override name = "DeployRefused";

  constructor(
    request: string,
    readonly status: number,
    /** The `detail` of the answer, or its text. */
    readonly detail: string,
  ) {
    super(`${request} failed with status ${status}: ${detail || "no reason given"}`);
  }
}
