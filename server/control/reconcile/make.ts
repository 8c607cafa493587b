import type { Revision } from "@berth/store";
import { BuildFailed, PrepareFailed } from "../build/index.ts";
import { Attempt, endRevision, ownFault, TooManyAttempts } from "./attempt.ts";
import { endingOf } from "./jobs.ts";
import type { Parts } from "./parts.ts";
import { mustQueue } from "./turns.ts";

/** Looks whether a new revision's inputs can be used; then it waits for its turn or has it. */
export async function prepare(parts: Parts, revision: Revision, signal: AbortSignal): Promise<void> {
  const prepared = await attempted(parts, revision, signal, "prepare", (order) =>
    parts.builders.prepare(order),
  );
  if (prepared === undefined) return;
  const set = { config: prepared.config, ...(prepared.image !== null && { image: prepared.image }) };
  const waits = mustQueue(revision, await parts.revisions.inFlight());
  const next = waits ? "QUEUED" : afterWaiting(parts, revision);
  if (await parts.revisions.move(revision.id, "CREATING", next, set)) return;
  // Another one had its turn meanwhile.
  await parts.revisions.move(revision.id, "CREATING", "QUEUED", set);
}

/** A revision that waited has its turn. */
export async function begin(parts: Parts, revision: Revision): Promise<void> {
  await parts.revisions.move(revision.id, "QUEUED", afterWaiting(parts, revision));
}

/** Builds a revision. */
export async function build(parts: Parts, revision: Revision, signal: AbortSignal): Promise<void> {
  const building =
    revision.status === "BUILDING"
      ? revision
      : await parts.revisions.move(revision.id, "AWAITING_BUILD", "BUILDING");
  if (!building) return;
  const built = await attempted(parts, building, signal, "build", (order) => parts.builders.build(order));
  parts.onBuildEnd?.(revision.workspace_id);
  if (built === undefined) return;
  await parts.revisions.move(revision.id, "BUILDING", "AWAITING_DEPLOY", {
    build: built.build,
    ...(built.image !== null && { image: built.image }),
    ...(built.commitSha !== null && { config: { repo_commit_sha: built.commitSha } }),
  });
}

const afterWaiting = ({ builders }: Parts, { source }: Revision) =>
  builders.isBuildable(source) ? "AWAITING_BUILD" : "AWAITING_DEPLOY";

const failure = { prepare: "CREATE_FAILED", build: "BUILD_FAILED" } as const;

/** What a step makes; undefined where there is nothing more to do: it failed, or was told to end. */
async function attempted<T>(
  parts: Parts,
  revision: Revision,
  signal: AbortSignal,
  name: "prepare" | "build",
  make: (order: Awaited<ReturnType<Attempt["order"]>>) => Promise<T>,
): Promise<T | undefined> {
  let attempt: Attempt | undefined;
  try {
    attempt = await Attempt.begin(parts, revision, name);
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    await endRevision(parts, revision, failure[name], error.message);
    return undefined;
  }
  if (!attempt) return undefined;
  try {
    const made = await make(await attempt.order(signal));
    await attempt.end();
    return endingOf(signal) === "interrupt" ? undefined : made;
  } catch (error) {
    await attempt.end();
    const ending = endingOf(signal);
    if (ending === "shutdown" || ending === "handover") await attempt.putOff();
    // Whoever interrupted it moves the revision when this step is over.
    if (ending !== undefined) return undefined;
    await endRevision(parts, revision, failure[name], reasonOf(parts, revision, error));
    return undefined;
  }
}

/** What went wrong in the owner's own things is told; what went wrong in ours is for our log. */
function reasonOf({ logger }: Parts, revision: Revision, error: unknown): string {
  if (error instanceof PrepareFailed || error instanceof BuildFailed) return error.message;
  return ownFault(logger, revision, error);
}
