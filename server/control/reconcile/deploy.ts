import { type Instance, LeadershipLost, type Revision } from "@berth/store";
import { StartFailed } from "../run/index.ts";
import { endRevision, nextAttempt, ownFault, TooManyAttempts } from "./attempt.ts";
import { discard, judge, startUnlessEnded } from "./instances.ts";
import { endingOf } from "./jobs.ts";
import { MemoryWatch } from "./memory.ts";
import { DRIVER_WORDS, driverKind, type Parts } from "./parts.ts";
import { trimBuilds } from "./removal.ts";
import { tailOf, tell } from "./revision-log.ts";
import type { Means } from "./supervise.ts";
import { NotWanted } from "./switches.ts";

const PROBE_EVERY_MS = 100;
const STOP_MS = 2_000;

/** It was not ready in time. */
class TooLate extends Error {}
/** Nobody can say whether the instance of an earlier attempt runs. */
class Unknowable extends Error {}

/** What a deployment in this process has to know, and to tell. */
type Course = { signal: AbortSignal /** It answers. */; isUp(): void };

/** Brings a revision up and, once it has stayed up for a while, has it serve; the one before serves until then. */
export async function deploy(
  parts: Parts,
  { switches, rebuilds }: Means,
  awaiting: Revision,
  course: Course,
): Promise<void> {
  const { signal } = course;
  const revision =
    awaiting.status === "DEPLOYING"
      ? awaiting
      : await parts.revisions.move(awaiting.id, "AWAITING_DEPLOY", "DEPLOYING", { message: null });
  if (!revision) return;
  const number = await numberOf(parts, revision);
  if (number === undefined) return;
  const proven = revision.step?.proven === true;
  const note = (count: number) =>
    parts.revisions.note(revision.id, { name: "deploy", attempt: count, proven });
  await note(number);
  let attempt = new Deploying(parts, { ...revision, proven }, course);
  try {
    await rebuilds.have(revision, signal);
    attempt = new Deploying(parts, { ...revision, proven }, course);
    await switches.to(revision, await attempt.readyInstance());
    await say(parts, revision, "The revision serves");
    await trimBuilds(parts, revision.deployment_id);
  } catch (error) {
    // The next start makes this attempt again.
    const ending = endingOf(signal);
    if (ending === "shutdown" || ending === "handover") await note(number - 1);
    await attempt.giveUp(error);
  }
}

/** Which attempt this is; undefined when there were enough, and the revision has ended. */
async function numberOf(parts: Parts, revision: Revision): Promise<number | undefined> {
  try {
    return nextAttempt(revision, "deploy");
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    await endRevision(parts, revision, "DEPLOY_FAILED", error.message);
    return undefined;
  }
}

/** One attempt at having an instance of a revision that answers. */
class Deploying {
  #instance: Instance | undefined;
  readonly #deadline: number;

  constructor(
    private readonly parts: Parts,
    /** `proven`: it served before. */
    private readonly revision: Revision & { proven: boolean },
    private readonly course: Course,
  ) {
    // Not since the revision came this far: a Berth that was away is none of its doing.
    this.#deadline = parts.timing.elapsed() + parts.settings.deployTimeoutMs;
  }

  async readyInstance(): Promise<Instance> {
    const { parts } = this;
    const left = await this.#leftInstance();
    this.#instance = left ?? (await this.#start());
    // Before it serves: from the first request on the gateway has to know whom to ask for a key.
    let hasOwnAuth = await this.#answerOf(this.#instance);
    while (hasOwnAuth === undefined) {
      this.#checkGoingOn();
      if ((await judge(parts, this.#instance)) === false)
        throw new StartFailed(withTail("The process ended before it was ready.", await this.#tail()));
      await parts.timing.pause(PROBE_EVERY_MS, this.signal);
      hasOwnAuth = await this.#answerOf(this.#instance);
    }
    this.#checkGoingOn();
    await parts.instances.set(this.#instance.id, { state: "ready", own_auth: Number(hasOwnAuth) });
    if (!this.revision.proven && parts.settings.settleMs > 0) await this.#settle(this.#instance);
    return this.#instance;
  }

  /** Whether the project of an instance says itself who may call; undefined while the instance is not ready. */
  async #answerOf(instance: Instance): Promise<boolean | undefined> {
    const { probe } = this.parts;
    return (await probe.isReady(instance)) ? probe.hasOwnAuth(instance) : undefined;
  }

  /** Waits until the instance has answered for as long as a new one has to. */
  async #settle(instance: Instance): Promise<void> {
    const { parts, revision, signal } = this;
    const { settleMs } = parts.settings;
    const time = `${settleMs / 1_000} s`;
    await say(parts, revision, `It answers; it serves when it has stayed up for ${time}`);
    this.course.isUp();
    const watch = new Settling(parts, instance);
    while (!watch.isOver) {
      await parts.timing.pause(Math.min(PROBE_EVERY_MS, settleMs), signal);
      signal.throwIfAborted();
      const why = await watch.look();
      if (why !== undefined)
        throw new StartFailed(
          withTail(`${why} A new revision has to stay up for ${time}.`, await this.#tail()),
        );
      if (!watch.answers) this.#checkGoingOn();
    }
  }

  get signal(): AbortSignal {
    return this.course.signal;
  }

  /** What to do with an attempt that did not succeed depends on who ended it. */
  async giveUp(error: unknown): Promise<void> {
    const { parts, revision } = this;
    if (error instanceof Unknowable) {
      const message = "The runtime does not say whether the instance of this revision runs";
      await parts.revisions.move(revision.id, "DEPLOYING", "UNKNOWN", { message });
      return;
    }
    if (error instanceof LeadershipLost) throw error;
    const ending = endingOf(this.signal) ?? (error instanceof NotWanted ? "interrupt" : undefined);
    // The next leader uses the instance, if it has come so far.
    if (ending === "handover") return;
    const message = ending === undefined ? await this.#reasonOf(error) : "";
    if (this.#instance) await discard(parts, this.#instance, STOP_MS, ending ?? "failed");
    // Else the revision stays as it is: whoever interrupted it moves it, or the next start deploys it.
    if (ending === undefined) await endRevision(parts, revision, "DEPLOY_FAILED", message);
  }

  /** The instance that an attempt left which a crash cut short, if it can still be used. */
  async #leftInstance(): Promise<Instance | undefined> {
    const { parts, revision } = this;
    let usable: Instance | undefined;
    for (const instance of await parts.instances.ofDeployment(revision.deployment_id)) {
      if (instance.revision_id !== revision.id) continue;
      if (instance.state !== "starting" && instance.state !== "ready") continue;
      const isAlive = await judge(parts, instance);
      if (isAlive === undefined) throw new Unknowable();
      if (isAlive && instance.port !== null && usable === undefined) usable = instance;
      else await discard(parts, instance, STOP_MS, "lost");
    }
    return usable;
  }

  async #start(): Promise<Instance> {
    const { parts, revision, signal } = this;
    const { deployment_id, id } = revision;
    const deployment = await parts.deployments.find(deployment_id);
    if (!deployment) throw new StartFailed("The deployment is gone");
    const driver = driverKind(revision);
    const secrets = await parts.revisions.secretsOf(id);
    const { health_path = null } = revision.settings;
    const instance = await parts.instances.create({ deployment_id, revision_id: id, driver, health_path });
    this.#instance = instance;
    await say(parts, revision, `Starting ${DRIVER_WORDS[driver]}`);
    const database = await parts.databaseOf?.(deployment_id);
    const launch = { deployment, revision, instance, secrets, standby: true, database };
    const left = this.#deadline - parts.timing.elapsed();
    if (!(await startUnlessEnded(parts, launch, signal, left))) this.#checkGoingOn();
    return (await parts.instances.get(instance.id)) ?? instance;
  }

  #checkGoingOn(): void {
    this.signal.throwIfAborted();
    if (this.parts.timing.elapsed() >= this.#deadline) throw new TooLate();
  }

  async #reasonOf(error: unknown): Promise<string> {
    if (error instanceof StartFailed) return error.message;
    if (error instanceof TooLate) {
      const seconds = Math.round(this.parts.settings.deployTimeoutMs / 1_000);
      return withTail(`Timeout: Deployment is not ready after ${seconds} seconds.`, await this.#tail());
    }
    return ownFault(this.parts.logger, this.revision, error);
  }

  async #tail(): Promise<string> {
    if (!this.#instance) return "";
    await this.parts.readLog(this.#instance);
    // What it said itself, not what was said of it.
    return tailOf(this.parts.log, this.revision, this.#instance.created_at + 1);
  }
}

const withTail = (message: string, tail: string) => (tail === "" ? message : `${message}\n${tail}`);

const say = ({ log, timing }: Parts, revision: Revision, message: string) =>
  tell({ log, now: timing.now }, revision, "deploy", message);

/** A new instance that answers, and whether it goes on doing so: many programs start well and end a moment later. */
class Settling {
  readonly #upAt: number;
  readonly #memory: MemoryWatch;
  /** Since when it has answered each time. */
  #since: number;
  answers = true;

  constructor(
    private readonly parts: Parts,
    private readonly instance: Instance,
  ) {
    this.#memory = new MemoryWatch(parts);
    this.#upAt = parts.timing.elapsed();
    this.#since = this.#upAt;
  }

  /** It has stayed up for as long as it has to. */
  get isOver(): boolean {
    return this.answers && this.parts.timing.elapsed() - this.#since >= this.parts.settings.settleMs;
  }

  /** Asks it once; says why it will never serve, where that is so. */
  async look(): Promise<string | undefined> {
    const { parts, instance } = this;
    const now = parts.timing.elapsed();
    if ((await judge(parts, instance)) === false) {
      const memory = await this.#memory.whyEnded(instance);
      const seconds = Math.max(0, Math.round((now - this.#upAt) / 100) / 10);
      return memory ? `${memory}.` : `The process ended ${seconds} s after it first answered.`;
    }
    const excess = await this.#memory.excessOf(instance);
    if (excess) return `${excess.words}.`;
    this.answers = await parts.probe.isReady(instance);
    if (!this.answers) this.#since = now;
    return undefined;
  }
}
