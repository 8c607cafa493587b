import { UsageError } from "../arguments.ts";
import { type ReadDeployment, type ReadLogLine, type ReadRevision, urlOf } from "./answer.ts";
import type { DeploymentCalls } from "./deployments.ts";
import { DeployFailure, EXIT, type ExitCode, Unreachable } from "./failure.ts";
import type { DeployOutcome, Output } from "./output.ts";
import { OutOfTime, Patience } from "./patience.ts";
import { onInterrupt } from "./session.ts";

export type Waiting = {
  deployments: DeploymentCalls;
  output: Output;
  deploymentId: string;
  revisionId: string;
  /** Shows the build log while it is written. */
  verbose: boolean;
  /** An earlier revision again: it was DEPLOYED all the time, and counts once it is the one that serves. */
  again: boolean;
};

type End = { outcome: DeployOutcome; code: ExitCode; revision: ReadRevision | undefined };

/** At first more often: a template serves within seconds. */
const EAGER_MS = 5_000;
const EAGER_PAUSE_MS = 250;
const PAUSE_MS = 1_000;
/** A server that restarts is back by then; the revision goes on by itself. */
const PATIENCE_MS = 60_000;
const TAIL_LINES = 30;
const LOG_PAGE = 100;
const NO_REASON = "the server gave no reason";

const ENDS: Record<string, Pick<End, "outcome" | "code">> = {
  CREATE_FAILED: { outcome: "failed", code: EXIT.failed },
  BUILD_FAILED: { outcome: "failed", code: EXIT.failed },
  DEPLOY_FAILED: { outcome: "failed", code: EXIT.failed },
  SKIPPED: { outcome: "skipped", code: EXIT.notDeployed },
  INTERRUPTED: { outcome: "interrupted", code: EXIT.notDeployed },
};
const SUCCESS: Pick<End, "outcome" | "code"> = { outcome: "succeeded", code: EXIT.done };
const BUILDING = new Set(["AWAITING_BUILD", "BUILDING"]);

/** How long the option `--timeout` lets a command wait. */
export function patienceFrom(seconds: string): Patience {
  if (!/^[1-9]\d{0,5}$/.test(seconds))
    throw new UsageError(`--timeout must be a whole number of seconds, not "${seconds}"`);
  return new Patience(Number(seconds) * 1000);
}

/** Waits until a revision serves or never will, shows how it gets on, and tells how it ended. */
export async function waitForRevision(waiting: Waiting): Promise<ExitCode> {
  const { output, deploymentId, revisionId } = waiting;
  const detach = onInterrupt(() => {
    output.settled();
    output.error(`Interrupted. Deployment ID: ${deploymentId}, Revision ID: ${revisionId}`);
    output.info('The build will continue remotely; "berth deploy interrupt" stops it.');
    process.exit(EXIT.failed);
  });
  try {
    return await conclude(waiting, await untilEnd(waiting));
  } finally {
    detach();
  }
}

/** Looks at a revision until it serves or never will, or the time is over. */
export async function untilEnd(waiting: Waiting): Promise<End> {
  const { deployments, output } = waiting;
  const look = new Look(waiting);
  const startedAt = performance.now();
  let answeredAt = startedAt;
  try {
    for (;;) {
      try {
        const end = await look.once();
        if (end) return end;
        answeredAt = performance.now();
      } catch (error) {
        if (!(error instanceof Unreachable) || performance.now() - answeredAt > PATIENCE_MS) throw error;
      }
      const elapsedMs = performance.now() - startedAt;
      const { revision } = look;
      if (revision && revision.status !== "DEPLOYED") output.status(revision.status, elapsedMs);
      await deployments.patience.pause(elapsedMs < EAGER_MS ? EAGER_PAUSE_MS : PAUSE_MS);
    }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return { outcome: "timed_out", code: EXIT.timedOut, revision: look.revision };
  }
}

/** What is known of a revision on its way. */
class Look {
  revision: ReadRevision | undefined;
  readonly #waiting: Waiting;
  readonly #log: BuildLog;
  #hasMoved: boolean;

  constructor(waiting: Waiting) {
    this.#waiting = waiting;
    this.#log = new BuildLog(waiting.deployments, waiting.deploymentId, waiting.revisionId);
    this.#hasMoved = !waiting.again;
  }

  /** How it ended, if it has. */
  async once(): Promise<End | undefined> {
    const { deployments, deploymentId, revisionId, verbose, output } = this.#waiting;
    const revision = await deployments.revision(deploymentId, revisionId);
    this.revision = revision;
    const end = ENDS[revision.status];
    if (verbose && (end || BUILDING.has(revision.status))) await this.#log.showNew(output);
    if (end) return { ...end, revision };
    const isDeployed = revision.status === "DEPLOYED";
    if (isDeployed && (this.#hasMoved || (await isActive(this.#waiting)))) return { ...SUCCESS, revision };
    this.#hasMoved ||= !isDeployed;
    return undefined;
  }
}

async function isActive({ deployments, deploymentId, revisionId }: Waiting): Promise<boolean> {
  return (await deployments.get(deploymentId)).active_revision_id === revisionId;
}

async function conclude(waiting: Waiting, { outcome, code, revision }: End): Promise<ExitCode> {
  const { deployments, output, deploymentId, revisionId, again } = waiting;
  output.settled();
  if (outcome === "failed" && revision) await explain(waiting, revision);
  const statusUrl = deployments.statusUrl(deploymentId, revisionId);
  const looksAgain = outcome === "succeeded" || outcome === "failed";
  const deployment = looksAgain ? await found(deployments, deploymentId) : null;
  const url = outcome === "succeeded" ? (deployment ? urlOf(deployment) : null) : null;
  const serves = Boolean(deployment?.active_revision_id);
  const result = {
    status: outcome,
    message: endingOf(outcome, again ? "Rollback" : "Deployment"),
    ...(outcome === "succeeded" ? {} : { reason: reasonOf(outcome, revision, deployments.patience) }),
    deployment_id: deploymentId,
    revision_id: revisionId,
    ...(revision ? { revision_status: revision.status } : {}),
    ...(url === null ? {} : { url }),
    status_url: statusUrl,
  };
  output.result(result, whatNext(outcome, { deploymentId, serves }));
  return code;
}

/** The deployment as it is now. How its revision ended is known with or without that. */
async function found(deployments: DeploymentCalls, id: string): Promise<ReadDeployment | null> {
  try {
    return await deployments.get(id);
  } catch (error) {
    if (error instanceof DeployFailure) return null;
    throw error;
  }
}

function reasonOf(outcome: DeployOutcome, revision: ReadRevision | undefined, { limitMs }: Patience): string {
  if (outcome === "timed_out")
    return `it is ${revision?.status ?? "not known to the server"} after ${limitMs / 1_000} seconds`;
  return revision?.status_message || NO_REASON;
}

function endingOf(outcome: DeployOutcome, what: string): string {
  const endings: Record<DeployOutcome, string> = {
    succeeded: `${what} successful!`,
    submitted: `${what} submitted`,
    failed: `${what} failed`,
    timed_out: `Timed out waiting for ${what.toLowerCase()}.`,
    skipped: `${what} skipped: a newer revision took its place`,
    interrupted: `${what} interrupted: somebody stopped it, or the deployment was deleted`,
  };
  return endings[outcome];
}

/** @param place whether anything of the deployment serves, where that is known */
function whatNext(
  outcome: DeployOutcome,
  { deploymentId, serves }: { deploymentId: string; serves: boolean },
): string | undefined {
  if (outcome === "succeeded") return undefined;
  if (outcome === "failed")
    return serves
      ? "What served before goes on serving. Mend it and deploy again."
      : "Nothing serves yet, so that there is no address. Mend it and deploy again.";
  if (outcome === "timed_out") return "It goes on without this command.";
  return `See "berth deploy revisions list ${deploymentId}" for what took its place.`;
}

/** Why it failed: the server's reason, and the end of the log that shows it. */
async function explain(
  { deployments, output, deploymentId, revisionId, verbose }: Waiting,
  revision: ReadRevision,
) {
  const isBuild = revision.status === "BUILD_FAILED";
  if (!(isBuild && verbose)) {
    const lines = await tail(deployments, deploymentId, revisionId, isBuild ? "build" : "deploy");
    if (lines.length > 0) output.info(`Last ${isBuild ? "build " : ""}log lines:`);
    for (const line of lines) output.log(line.message);
  }
  if (isBuild && !verbose) output.info("Re-run with --verbose to see full build output.");
  output.error(`${revision.status}: ${revision.status_message || NO_REASON}`);
}

async function tail(
  deployments: DeploymentCalls,
  deploymentId: string,
  revisionId: string,
  type: "build" | "deploy",
): Promise<ReadLogLine[]> {
  try {
    const query = { deploymentId, revisionId, type, order: "desc", limit: TAIL_LINES } as const;
    return (await deployments.logs(query)).lines.reverse();
  } catch (error) {
    // The reason is told with or without it.
    if (error instanceof DeployFailure) return [];
    throw error;
  }
}

/** The build log as it grows. */
class BuildLog {
  readonly #deployments: DeploymentCalls;
  readonly #where: { deploymentId: string; revisionId: string };
  #cursor: string | undefined;

  constructor(deployments: DeploymentCalls, deploymentId: string, revisionId: string) {
    this.#deployments = deployments;
    this.#where = { deploymentId, revisionId };
  }

  async showNew(output: Output): Promise<void> {
    for (;;) {
      const query = { ...this.#where, type: "build", order: "asc", limit: LOG_PAGE } as const;
      const { lines, next } = await this.#deployments.logs({ ...query, cursor: this.#cursor });
      for (const { message } of lines) output.log(message);
      this.#cursor = next;
      if (lines.length < LOG_PAGE) return;
    }
  }
}
