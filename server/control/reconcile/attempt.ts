import {
  isDiskFull,
  isUploadPath,
  LostSecret,
  NO_ROOM,
  type Revision,
  type RevisionStatus,
  readPushedImage,
} from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { BuildChild, BuildOrder } from "../build/index.ts";
import type { Parts } from "./parts.ts";
import { RevisionLog, tell } from "./revision-log.ts";

const STEPS = ["prepare", "build", "deploy"] as const;
type StepName = (typeof STEPS)[number];

/** What a revision's row says of the step that is being taken. */
type StepNote = { name: StepName; attempt: number; child: BuildChild | null };

const MOST_ATTEMPTS = 3;

/**
 * Which attempt at a step comes next.
 * @throws TooManyAttempts
 */
export function nextAttempt(revision: Revision, name: StepName): number {
  const before = noteOf(revision);
  const attempt = before?.name === name ? before.attempt + 1 : 1;
  if (attempt > MOST_ATTEMPTS) throw new TooManyAttempts();
  return attempt;
}

/** The attempts of a step that crashes took Berth out of; the revision is to blame, or something beyond it. */
export class TooManyAttempts extends Error {
  constructor() {
    super(`This step was begun ${MOST_ATTEMPTS} times and never came to its end: Berth ended in the middle`);
  }
}

/** One attempt at preparing or building a revision: written down before it is made. */
export class Attempt {
  private constructor(
    private readonly parts: Parts,
    private readonly revision: Revision,
    private readonly note: StepNote,
    private readonly log: RevisionLog,
  ) {}

  /**
   * Ends what a killed attempt left behind, then notes the next one; undefined when the revision has come to its
   * end meanwhile.
   * @throws TooManyAttempts
   */
  static async begin(parts: Parts, revision: Revision, name: StepName): Promise<Attempt | undefined> {
    await endLeftChild(parts, revision);
    const note = { name, attempt: nextAttempt(revision, name), child: null };
    if (!(await parts.revisions.note(revision.id, note))) return undefined;
    const log = new RevisionLog({ log: parts.log, now: parts.timing.now }, revision, "build");
    return new Attempt(parts, revision, note, log);
  }

  async order(signal: AbortSignal): Promise<BuildOrder> {
    const { parts, revision, note, log } = this;
    const deployment = await parts.deployments.find(revision.deployment_id);
    if (!deployment) throw new Error(`revision ${revision.id} has no deployment`);
    return {
      deployment,
      revision,
      secrets: await parts.revisions.secretsOf(revision.id),
      folder: parts.folderOf(revision.id),
      say: (line, level) => log.say(line, level),
      signal,
      onChild: async (child) => {
        await parts.revisions.note(revision.id, { ...note, child });
      },
    };
  }

  /** Ends what its programs left running, and writes the last lines of its log. */
  async end(): Promise<void> {
    await this.parts.endBuild(this.revision.id);
    await this.log.end();
  }

  /** Leaves the revision where it is: the next start makes this attempt again. */
  async putOff(): Promise<void> {
    await this.parts.revisions.note(this.revision.id, { ...this.note, attempt: this.note.attempt - 1 });
  }
}

/** Ends the programs that a killed attempt left behind. */
export async function endLeftChild(parts: Parts, revision: Revision): Promise<void> {
  const note = noteOf(revision);
  if (note?.child) await parts.endGroup(note.child);
  if (note) await parts.endBuild(revision.id);
}

/** Moves a revision to an end that is none of success, says why, and removes what was built for it. */
export async function endRevision(
  parts: Parts,
  revision: Revision,
  to: RevisionStatus,
  message: string | null,
): Promise<void> {
  const kind = to === "DEPLOY_FAILED" ? "deploy" : "build";
  if (message !== null)
    await tell({ log: parts.log, now: parts.timing.now }, revision, kind, message, "ERROR");
  const moved = await parts.revisions.move(revision.id, revision.status, to, { message, step: null });
  if (!moved) return;
  parts.logger.info("revision.ended", {
    deployment: revision.deployment_id,
    revision: revision.id,
    status: to,
  });
  if (revision.deployed_at === null) await forgetBuild(parts, revision.id);
}

/** What is told of a failure that is not of the revision's making: the rest is for our log. */
export function ownFault(logger: Logger, revision: Revision, error: unknown): string {
  if (error instanceof LostSecret) return lostMessage(error);
  logger.error("revision.failed", { revision: revision.id, error });
  return isDiskFull(error) ? NO_ROOM : "Berth itself failed at this step; its log says why";
}

/** What a deployment says that has to do without its secrets. */
export const lostMessage = ({ message }: LostSecret): string => `It cannot be started: ${message}`;

/** Removes a revision's build; it is never offered again before that. */
export async function forgetBuild(parts: Parts, revisionId: string): Promise<void> {
  await parts.revisions.buildGone(revisionId);
  await removeBuild(parts, revisionId);
}

/** Removes what was built or loaded for a revision: its folder, and its image if it came as an archive or was pushed. */
export async function removeBuild(parts: Parts, revisionId: string): Promise<void> {
  const revision = await parts.revisions.find(revisionId);
  // An image that the engine has by its name is not ours.
  const uri = revision?.config.image_uri ?? "";
  const isOurs = isUploadPath(uri) || readPushedImage(uri) !== undefined;
  if (isOurs && revision?.image) await parts.removeImage(revision.image);
  await parts.builders.remove(revisionId);
}

function noteOf({ step }: Revision): StepNote | undefined {
  const name = STEPS.find((known) => known === step?.name);
  if (step === null || name === undefined) return undefined;
  // An older Berth did not count attempts at deploying.
  return { name, attempt: Number(step.attempt ?? 1), child: childOf(step.child) };
}

function childOf(child: unknown): BuildChild | null {
  if (typeof child !== "object" || child === null || !("pid" in child) || !("started" in child)) return null;
  const { pid, started } = child;
  return typeof pid === "number" && typeof started === "string" ? { pid, started } : null;
}
