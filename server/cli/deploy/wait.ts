import { UsageError } from "../arguments.ts";
import type { LogLine, Revision } from "./answer.ts";
import type { Deployments } from "./deployments.ts";
import { DeployFailure, EXIT, type ExitCode, Unreachable } from "./failure.ts";
import type { Outcome, Output } from "./output.ts";
import { onInterrupt } from "./signals.ts";

export type Waiting = {
  deployments: Deployments;
  output: Output;
  deploymentId: string;
  revisionId: string;
  timeoutMs: number;
  /** Shows the build log while it is written. */
  verbose: boolean;
  /** An earlier revision again: it was DEPLOYED all the time, and counts once it is the one that serves. */
  again: boolean;
};

type End = { outcome: Outcome; code: ExitCode; revision: Revision | undefined };

/** At first more often: a template serves within seconds. */
const EAGER_MS = 5_000;
const EAGER_PAUSE_MS = 250;
const PAUSE_MS = 1_000;
/** A server that restarts is back by then; the revision goes on by itself. */
const PATIENCE_MS = 60_000;
const TAIL_LINES = 30;
const LOG_PAGE = 100;

const ENDS: Record<string, Pick<End, "outcome" | "code">> = {
  CREATE_FAILED: { outcome: "failed", code: EXIT.failed },
  BUILD_FAILED: { outcome: "failed", code: EXIT.failed },
  DEPLOY_FAILED: { outcome: "failed", code: EXIT.failed },
  SKIPPED: { outcome: "skipped", code: EXIT.notDeployed },
  INTERRUPTED: { outcome: "interrupted", code: EXIT.notDeployed },
};
const SUCCESS: Pick<End, "outcome" | "code"> = { outcome: "succeeded", code: EXIT.done };
const BUILDING = new Set(["AWAITING_BUILD", "BUILDING"]);

/** The milliseconds of the option `--timeout`. */
export function timeoutMsFrom(seconds: string): number {
  if (!/^[1-9]\d{0,5}$/.test(seconds))
    throw new UsageError(`--timeout must be a whole number of seconds, not "${seconds}"`);
  return Number(seconds) * 1000;
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
  const { deployments, output, deploymentId, revisionId, timeoutMs, verbose } = waiting;
  const startedAt = performance.now();
  const log = new BuildLog(deployments, deploymentId, revisionId);
  let answeredAt = startedAt;
  let hasMoved = !waiting.again;
  let revision: Revision | undefined;
  for (;;) {
    try {
      revision = await deployments.revision(deploymentId, revisionId);
      answeredAt = performance.now();
      const end = ENDS[revision.status];
      if (verbose && (end || BUILDING.has(revision.status))) await log.showNew(output);
      if (end) return { ...end, revision };
      const isDeployed = revision.status === "DEPLOYED";
      if (isDeployed && (hasMoved || (await isActive(waiting)))) return { ...SUCCESS, revision };
      hasMoved ||= !isDeployed;
    } catch (error) {
      if (!(error instanceof Unreachable) || performance.now() - answeredAt > PATIENCE_MS) throw error;
    }
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= timeoutMs) return { outcome: "timed_out", code: EXIT.timedOut, revision };
    if (revision && revision.status !== "DEPLOYED") output.status(revision.status, elapsedMs);
    const pause = elapsedMs < EAGER_MS ? EAGER_PAUSE_MS : PAUSE_MS;
    await Bun.sleep(Math.min(pause, timeoutMs - elapsedMs));
  }
}

async function isActive({ deployments, deploymentId, revisionId }: Waiting): Promise<boolean> {
  return (await deployments.get(deploymentId)).activeRevisionId === revisionId;
}

async function conclude(waiting: Waiting, { outcome, code, revision }: End): Promise<ExitCode> {
  const { deployments, output, deploymentId, revisionId, again } = waiting;
  output.settled();
  if (outcome === "failed" && revision) await explain(waiting, revision);
  const statusUrl = deployments.statusUrl(deploymentId, revisionId);
  const looksAgain = outcome === "succeeded" || outcome === "failed";
  const deployment = looksAgain ? await deployments.get(deploymentId) : null;
  const url = outcome === "succeeded" ? (deployment?.url ?? null) : null;
  const serves = deployment?.activeRevisionId != null;
  const result = {
    status: outcome,
    message: endingOf(outcome, again ? "Rollback" : "Deployment"),
    deployment_id: deploymentId,
    revision_id: revisionId,
    ...(revision ? { revision_status: revision.status } : {}),
    ...(url === null ? {} : { url }),
    status_url: statusUrl,
  };
  output.result(result, whatNext(outcome, { deploymentId, serves }));
  return code;
}

function endingOf(outcome: Outcome, what: string): string {
  const endings: Record<Outcome, string> = {
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
  outcome: Outcome,
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
  revision: Revision,
) {
  const isBuild = revision.status === "BUILD_FAILED";
  if (!(isBuild && verbose)) {
    const lines = await tail(deployments, deploymentId, revisionId, isBuild ? "build" : "deploy");
    if (lines.length > 0) output.info(`Last ${isBuild ? "build " : ""}log lines:`);
    for (const line of lines) output.log(line.message);
  }
  if (isBuild && !verbose) output.info("Re-run with --verbose to see full build output.");
  output.error(`${revision.status}: ${revision.message ?? "the server gave no reason"}`);
}

async function tail(
  deployments: Deployments,
  deploymentId: string,
  revisionId: string,
  type: "build" | "deploy",
): Promise<LogLine[]> {
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
  readonly #deployments: Deployments;
  readonly #where: { deploymentId: string; revisionId: string };
  #cursor: string | undefined;

  constructor(deployments: Deployments, deploymentId: string, revisionId: string) {
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
