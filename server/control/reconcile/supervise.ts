import { type Instance, LeadershipLost, LostSecret, type Revision } from "@berth/store";
import { BuildAborted } from "../build/index.ts";
import { Answers } from "./answers.ts";
import { lostMessage } from "./attempt.ts";
import { AWAKE, discard, judge, LATE_NEWS_MS, NOWHERE, startUnlessEnded } from "./instances.ts";
import { endingOf, type Jobs } from "./jobs.ts";
import { type Excess, MemoryWatch } from "./memory.ts";
import { driverFor, type Parts, type RestartReason } from "./parts.ts";
import type { Rebuilds } from "./rebuilds.ts";
import { Replicas } from "./replicas.ts";
import { tell } from "./revision-log.ts";
import { Sleep } from "./sleep.ts";
import type { Switches } from "./switches.ts";

const SECOND = 1_000;
const LONGEST_BACKOFF_MS = 60 * SECOND;
/** Who lived that long starts over with the shortest pause. */
const HEALTHY_MS = 300 * SECOND;
/** Who ended so many times, and never lived that long between, does so again and again. */
const LOOP = 3;
/** A runtime may be silent for a moment; after that the revision's state is not known. */
const SILENCE_MS = 15 * SECOND;
/** Asking a container engine costs a process each time, a cluster a request. */
const CONTAINER_EVERY_MS = 2 * SECOND;
const STOP_MS = 2 * SECOND;

/** What somebody has to mend: these stand at the revision, and subscribers hear of them. */
const TOLD: ReadonlySet<RestartReason> = new Set<RestartReason>(["memory", "hang"]);

/** @throws whatever else it is */
function lostOr(error: unknown): LostSecret {
  if (error instanceof LostSecret) return error;
  throw error;
}

type Cause = { reason: RestartReason; words: string };
type Health = {
  failures: number;
  startedAt: number;
  /** It has lived for long since then, and that is known. */
  isWell: boolean;
  silentSince: number | undefined;
  judgedAt: number;
};

/** What starts and switches work with, beside the parts. */
export type Means = { switches: Switches; rebuilds: Rebuilds };

/** Keeps what serves running, ends what was replaced, and clears what nobody waits for. */
export class Supervisor {
  readonly #health = new Map<string, Health>();
  readonly #answers: Answers;
  readonly #memory: MemoryWatch;
  readonly #replicas: Replicas;
  readonly #sleep: Sleep;
  /** Looks at what runs in clusters, by instance: no other waits for a cluster that does not answer. */
  readonly #afar = new Map<string, Promise<void>>();

  constructor(
    private readonly parts: Parts,
    private readonly jobs: Jobs,
    private readonly means: Means,
  ) {
    this.#answers = new Answers(parts);
    this.#memory = new MemoryWatch(parts);
    this.#replicas = new Replicas(parts);
    this.#sleep = new Sleep(parts, means.switches, this.#replicas);
  }

  /** Whether there was an instance when it looked last. */
  hasLive = true;

  /** Looks at every instance once, but for those of clusters that have not answered since it looked last. */
  async once(): Promise<void> {
    // A step that ends after the rows are read leaves them old: its instance is looked at next time.
    const busy = this.jobs.keys();
    const live = await this.parts.instances.live();
    this.hasLive = live.length > 0;
    const ids = new Set(live.map(({ id }) => id));
    for (const id of this.#health.keys()) if (!ids.has(id)) this.#health.delete(id);
    this.#answers.keep(ids);
    this.#memory.keep(ids);
    this.#sleep.keep(ids);
    await this.#replicas.complete(live);
    const isFresh = ({ id, revision_id, state }: Instance) =>
      !busy.has(id) && (state === "serving" || state === "draining" || !busy.has(revision_id));
    const fresh = live.filter(isFresh);
    const isAfar = ({ driver }: Instance) => driver === "kubernetes";
    for (const instance of fresh.filter(isAfar)) this.#lookAfar(instance);
    await Promise.all(fresh.filter((one) => !isAfar(one)).map((instance) => this.#look(instance)));
  }

  /** Resolves when no look is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#afar.values());
  }

  #lookAfar(instance: Instance): void {
    const { id } = instance;
    if (this.#afar.has(id)) return;
    const look = this.#look(instance)
      .catch((error) => this.parts.logger.error("supervise.failed", { instance: id, error }))
      .finally(() => this.#afar.delete(id));
    this.#afar.set(id, look);
  }

  async #look(instance: Instance): Promise<void> {
    if (instance.state === "draining") await this.#endDrainingExcess(instance);
    if (this.jobs.has(instance.id)) return;
    switch (instance.state) {
      case "serving":
        return this.#lookAtServing(instance);
      case "draining":
        this.jobs.start(instance.id, "drain", (signal) => this.#drain(instance, signal));
        return;
      case "starting":
      case "ready":
        return this.#lookAtNew(instance);
      case "gone":
    }
  }

  async #lookAtServing(instance: Instance): Promise<void> {
    const { now, elapsed } = this.parts.timing;
    const health = this.#healthOf(instance);
    if (instance.asleep_since !== null) return this.#lookAtSleeping(instance, health);
    if (instance.driver !== "process" && instance.container !== null) {
      if (elapsed() - health.judgedAt < CONTAINER_EVERY_MS) return;
      health.judgedAt = elapsed();
    }
    const isAlive = await judge(this.parts, instance);
    if (isAlive === undefined) return this.#noteSilence(instance, health);
    health.silentSince = undefined;
    // Without a port it was cut short while it started: whoever waited for it is dead.
    if (isAlive && instance.port !== null) {
      if (this.#answers.isStuck(instance)) return this.#noteHang(instance, health);
      const excess = await this.#memory.excessOf(instance);
      if (excess) return this.#endExcess(instance, health, excess);
      if (elapsed() - health.startedAt >= HEALTHY_MS) await this.#noteHealth(instance, health);
      await this.#nowKnown(instance);
      await this.means.switches.haveClaim(instance);
      if (this.#sleep.isTime(instance))
        this.jobs.start(instance.id, "sleep", (signal) => this.#fallAsleep(instance, health, signal));
      return;
    }
    if (instance.pid !== null || instance.container !== null)
      return this.#noteDeath(instance, health, await this.#causeOf(instance));
    const wait = (instance.retry_at ?? 0) - now();
    // Further off than any pause is: the clock was set back since.
    if (wait > 0 && wait <= LONGEST_BACKOFF_MS) return;
    await this.#startAgain(instance, health);
  }

  /** Restarts take room of the workspace's: one whose instances start slowly does not delay those of others. */
  async #startAgain(instance: Instance, health: Health): Promise<void> {
    const deployment = await this.parts.deployments.find(instance.deployment_id);
    const restart = (signal: AbortSignal) => this.#restart(instance, health, signal);
    this.jobs.start(instance.id, "start", restart, deployment?.workspace_id);
  }

  /** Who comes to sleep was well: its next end is its first. */
  async #fallAsleep(instance: Instance, health: Health, signal: AbortSignal): Promise<void> {
    if (await this.#sleep.tryIt(instance, signal)) health.failures = 0;
  }

  async #lookAtSleeping(instance: Instance, health: Health): Promise<void> {
    if (instance.pid !== null) this.jobs.start(instance.id, "sleep", () => this.#sleep.end(instance));
    else if (this.#sleep.isDue(instance)) await this.#startAgain(instance, health);
  }

  #noteHang(instance: Instance, health: Health): Promise<void> {
    const seconds = this.parts.settings.hangMs / SECOND;
    const words = `It has answered nobody for ${seconds} s and was ended`;
    return this.#noteDeath(instance, health, { reason: "hang", words });
  }

  async #causeOf(instance: Instance): Promise<Cause> {
    const memory = await this.#memory.whyEnded(instance);
    if (memory !== undefined) return { reason: "memory", words: memory };
    return { reason: "ended", words: "It ended by itself" };
  }

  /** It is given a moment for its runs to go back to the queue; nobody else waits for that. */
  #endExcess(instance: Instance, health: Health, { words, graceMs }: Excess): void {
    const cause: Cause = { reason: "memory", words };
    this.jobs.start(instance.id, "drain", async () => {
      // Something else may serve by now.
      const latest = await this.parts.instances.get(instance.id);
      if (latest?.state === "serving") await this.#noteDeath(latest, health, cause, graceMs);
    });
  }

  /** Its open requests end with it; what serves now takes over its runs. */
  async #endDrainingExcess(instance: Instance): Promise<void> {
    const excess = await this.#memory.excessOf(instance);
    if (!excess) return;
    await driverFor(this.parts, instance).stop(instance, 0);
    await this.#tell(instance, excess.words);
  }

  async #noteDeath(instance: Instance, health: Health, cause: Cause, graceMs = 0): Promise<void> {
    const { parts } = this;
    this.means.switches.forget(instance.id);
    this.#answers.forget(instance.id);
    const pause = Math.min(SECOND * 2 ** health.failures, LONGEST_BACKOFF_MS);
    health.failures += 1;
    health.isWell = false;
    // Also what is left of its group or its container.
    await driverFor(parts, instance).stop(instance, graceMs);
    await parts.readLog(instance);
    await parts.instances.set(instance.id, {
      ...{ ...NOWHERE, ...AWAKE },
      restarts: instance.restarts + 1,
      retry_at: parts.timing.now() + pause,
    });
    const { reason } = cause;
    const { deployment_id, id } = instance;
    parts.countRestart(reason);
    parts.logger.warn("instance.died", { deployment: deployment_id, instance: id, reason, pause });
    const message = `${cause.words}; starting it again in ${pause / SECOND} s`;
    await this.#tell(instance, message);
    if (TOLD.has(reason)) await parts.revisions.restarted(instance.revision_id, message);
    if (health.failures >= LOOP) await this.#noteLoop(instance, health, cause);
  }

  /** Goes back to what served before, where there is such a revision and nothing else is under way. */
  async #noteLoop(instance: Instance, { failures }: Health, { words }: Cause): Promise<void> {
    const { revisions, countLoop, logger, timing, log } = this.parts;
    const reason = `It ended ${failures} times, each time within ${HEALTHY_MS / 60_000} minutes of its start. The last time: ${words}.`;
    const loop = await revisions.keepsEnding(instance.revision_id, reason);
    if (!loop) return;
    const { message, wentBackTo } = loop;
    countLoop(wentBackTo !== null);
    const { deployment_id: deployment, revision_id: revision } = instance;
    logger.error("revision.loops", {
      deployment,
      revision,
      ...(wentBackTo && { wentBackTo: wentBackTo.id }),
    });
    await this.#tell(instance, message);
    if (wentBackTo)
      await tell(
        { log, now: timing.now },
        wentBackTo,
        "deploy",
        "It takes the place of a newer one that kept ending",
      );
  }

  /** It has lived for long: whatever was said of its ends is over. */
  async #noteHealth({ revision_id }: Instance, health: Health): Promise<void> {
    if (health.isWell) return;
    health.failures = 0;
    const { revisions } = this.parts;
    const revision = await revisions.find(revision_id);
    if (revision?.status === "DEPLOY_FAILED") await revisions.move(revision.id, "DEPLOY_FAILED", "DEPLOYED");
    health.isWell = true;
  }

  async #restart({ id }: Instance, health: Health, signal: AbortSignal): Promise<void> {
    const { parts } = this;
    const instance = await parts.instances.get(id);
    if (instance?.state !== "serving" || instance.pid !== null || instance.container !== null) return;
    const deployment = await parts.deployments.find(instance.deployment_id);
    const revision = await parts.revisions.find(instance.revision_id);
    if (!deployment || !revision || deployment.status === "AWAITING_DELETE") return;
    health.startedAt = parts.timing.elapsed();
    const secrets = await parts.revisions.secretsOf(revision.id).catch(lostOr);
    if (secrets instanceof LostSecret) return this.#noteLoss(instance, revision, secrets);
    try {
      // Somebody else may have had the port of the one that died, and been sent its token.
      const renewed = (await parts.instances.renewToken(id)) ?? instance;
      // It may be replaced while it starts: only who serves when it is up starts runs.
      await this.means.rebuilds.have(revision, signal);
      const database = await parts.databaseOf?.(deployment.id);
      const launch = { deployment, revision, instance: renewed, secrets, standby: true, database };
      if (!(await startUnlessEnded(parts, launch, signal))) {
        if (endingOf(signal) !== "handover") await parts.instances.set(id, { ...NOWHERE });
        return;
      }
      await parts.instances.set(instance.id, { ...AWAKE, retry_at: null });
      await this.means.switches.haveClaim(instance);
      parts.traffic.switched(instance.deployment_id);
      parts.logger.info("instance.started", {
        deployment: instance.deployment_id,
        instance: instance.id,
      });
    } catch (error) {
      if (error instanceof BuildAborted || endingOf(signal) === "handover") return;
      if (error instanceof LeadershipLost) throw error;
      const latest = (await parts.instances.get(instance.id)) ?? instance;
      await this.#tell(latest, error instanceof Error ? error.message : String(error));
      await this.#noteDeath(latest, health, { reason: "not_started", words: "It did not start" });
    }
  }

  /** Only a new revision brings new secrets: nothing is tried until then, and it is told once. */
  async #noteLoss(instance: Instance, { id, status_message }: Revision, loss: LostSecret): Promise<void> {
    const { instances, revisions, timing } = this.parts;
    const message = lostMessage(loss);
    await instances.set(instance.id, { retry_at: timing.now() + LONGEST_BACKOFF_MS });
    if (status_message === message) return;
    await this.#tell(instance, message);
    await revisions.restarted(id, message);
  }

  async #drain({ id }: Instance, signal: AbortSignal): Promise<void> {
    const { parts } = this;
    const instance = await parts.instances.get(id);
    if (instance?.state !== "draining") return;
    this.means.switches.forget(instance.id);
    const deadline = parts.timing.now() + parts.settings.drainMs;
    await parts.timing.pause(Math.min(LATE_NEWS_MS, parts.settings.drainMs), signal);
    await parts.traffic.until(instance.id, deadline, signal);
    if (endingOf(signal) === "handover") return;
    await discard(parts, instance, parts.settings.stopGraceMs, "replaced");
    await this.#nowKnown(instance);
  }

  /** A new instance belongs to a revision that is being deployed; without one it is a leftover. */
  async #lookAtNew(instance: Instance): Promise<void> {
    const { parts } = this;
    const revision = await parts.revisions.find(instance.revision_id);
    if (revision?.status === "DEPLOYING" || this.jobs.has(instance.revision_id)) return;
    if (revision?.status === "UNKNOWN") {
      if ((await judge(parts, instance)) !== undefined) await this.#goOn(revision);
      return;
    }
    this.jobs.start(instance.id, "drain", () => discard(parts, instance, STOP_MS, "not wanted"));
  }

  /** The runtime answers again: the deployment goes on with its instance, or finds that it is gone. */
  async #goOn(revision: Revision): Promise<void> {
    const { deployments, revisions } = this.parts;
    const deployment = await deployments.find(revision.deployment_id);
    const active = deployment?.active_revision_id && (await revisions.find(deployment.active_revision_id));
    const overtaken = active && (active.deployed_at ?? 0) > revision.status_since;
    if (overtaken || deployment?.status === "AWAITING_DELETE")
      await revisions.move(revision.id, "UNKNOWN", "INTERRUPTED", { message: "Another revision came first" });
    else await revisions.move(revision.id, "UNKNOWN", "DEPLOYING");
  }

  async #noteSilence(instance: Instance, health: Health): Promise<void> {
    const now = this.parts.timing.elapsed();
    health.silentSince ??= now;
    if (now - health.silentSince < SILENCE_MS) return;
    const message = "The runtime does not say whether the instance of this revision runs";
    const revision = await this.parts.revisions.find(instance.revision_id);
    if (revision?.status === "DEPLOYED")
      await this.parts.revisions.move(revision.id, "DEPLOYED", "UNKNOWN", { message });
  }

  async #nowKnown(instance: Instance): Promise<void> {
    if (instance.driver === "process") return;
    const revision = await this.parts.revisions.find(instance.revision_id);
    if (revision?.status === "UNKNOWN")
      await this.parts.revisions.move(revision.id, "UNKNOWN", "DEPLOYED", { message: null });
  }

  #healthOf({ id }: Instance): Health {
    const known = this.#health.get(id);
    if (known) return known;
    const fresh: Health = {
      failures: 0,
      startedAt: this.parts.timing.elapsed(),
      isWell: false,
      silentSince: undefined,
      judgedAt: Number.NEGATIVE_INFINITY,
    };
    this.#health.set(id, fresh);
    return fresh;
  }

  async #tell({ revision_id, deployment_id }: Instance, message: string): Promise<void> {
    const { log, timing } = this.parts;
    const revision: Pick<Revision, "id" | "deployment_id"> = { id: revision_id, deployment_id };
    await tell({ log, now: timing.now }, revision, "deploy", message, "ERROR");
  }
}
