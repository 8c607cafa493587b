import { type Deployment, type Instance, isFinal, type Revision } from "@berth/store";
import type { Driver } from "../run/index.ts";
import { deploy } from "./deploy.ts";
import { discard, NOWHERE } from "./instances.ts";
import { Jobs } from "./jobs.ts";
import { begin, build, prepare } from "./make.ts";
import { driverFor, type Parts } from "./parts.ts";
import { Rebuilds } from "./rebuilds.ts";
import { deleteDeployment, interrupt, sweepFolders } from "./removal.ts";
import { Supervisor } from "./supervise.ts";
import { Switches } from "./switches.ts";
import { takeOver } from "./take-over.ts";
import { type Turn, turnsOf } from "./turns.ts";

/**
 * Moves every revision along its way, one step at a time, keeps what serves running and removes what was deleted.
 * What it is about to do is in the database before it does it; so whoever takes over, after a crash at any moment,
 * finds out what was done and goes on.
 */
export class Reconciler {
  readonly #parts: Parts;
  readonly #jobs: Jobs;
  readonly #supervisor: Supervisor;
  readonly #switches: Switches;
  readonly #rebuilds: Rebuilds;
  #leads = false;
  #turn: Promise<void> | undefined;
  #supervising: Promise<void> | undefined;
  #again = false;
  /** Whether there was a revision on its way when it looked last. */
  #hasTurns = true;

  constructor(parts: Parts) {
    const { concurrency, workspaceConcurrency } = parts.settings;
    this.#parts = parts;
    this.#jobs = new Jobs({
      limits: { prepare: concurrency, build: concurrency, deploy: concurrency, start: concurrency },
      ownerLimit: workspaceConcurrency,
      now: parts.timing.elapsed,
      onEnd: () => this.wake(),
      logger: parts.logger,
    });
    this.#switches = new Switches(parts);
    this.#rebuilds = new Rebuilds(parts);
    this.#supervisor = new Supervisor(parts, this.#jobs, {
      switches: this.#switches,
      rebuilds: this.#rebuilds,
    });
  }

  /** This process is the one that reconciles from now on: ends what a crash left that no row tells of. */
  async begin(): Promise<void> {
    const live = await this.#parts.instances.live();
    const inFlight = await this.#parts.revisions.inFlight();
    // Where nothing was deployed, nothing needs to be looked for. A database that was put in the place of another one
    // knows nothing of what runs.
    const isUsed = live.length + inFlight.length > 0 || this.#parts.hasDeployed();
    if (isUsed) await this.#endOrphans(await takeOver(this.#parts, live));
    this.#jobs.open();
    this.#leads = true;
    this.#hasTurns = true;
    this.#supervisor.hasLive = true;
    if (isUsed) this.#jobs.start("folders", "tidy", () => this.tidy());
    await this.once();
  }

  /** Another process reconciles from now on, or this one ends: leaves what runs, and every revision where it is. */
  async end(): Promise<void> {
    this.#leads = false;
    await this.#idle();
    await this.#jobs.close("handover");
  }

  /** Stops every instance, as this machine's owner asked for; the next start has those that serve run again. */
  async stop(): Promise<void> {
    const wasLeading = this.#leads;
    this.#leads = false;
    await this.#idle();
    // Side by side: what is drained takes its time as well.
    const ending = this.#jobs.close("shutdown");
    if (wasLeading)
      await this.#stopAll(({ id, revision_id }) => !this.#jobs.has(id) && !this.#jobs.has(revision_id));
    await ending;
    if (wasLeading) await this.#stopAll();
  }

  /** Stops what earlier processes left running, and the programs of their builds; starts nothing. */
  async stopLeft(): Promise<void> {
    await this.#parts.endBuild("any");
    await this.#stopAll();
    await this.#sweep([]);
  }

  /** Ends every process of this data folder that an instance was, where another machine leads. */
  endAllStrays(): Promise<void> {
    return this.#eachDriver((driver) => driver.endStrays(async () => []));
  }

  /** Resolves when it looks at nothing any more. */
  async #idle(): Promise<void> {
    await Promise.allSettled([this.#turn, this.#supervising]);
    await this.#supervisor.settled();
  }

  /** Stops at once what is still left: there is no more time. */
  kill(): Promise<void> {
    return this.#stopAll(() => true, 0);
  }

  async #stopAll(
    isMeant: (instance: Instance) => boolean = () => true,
    graceMs = this.#parts.settings.stopGraceMs,
  ): Promise<void> {
    const { machines } = this.#parts;
    // What a cluster runs goes on without Berth.
    const isHere = ({ driver, place }: Instance) =>
      driver !== "kubernetes" && (!machines || place === machines.here);
    const live = (await this.#parts.instances.live()).filter((one) => isHere(one) && isMeant(one));
    await Promise.all(live.map((instance) => this.#stop(instance, graceMs)));
  }

  /** Whether this process is the one that reconciles, and its lease is certainly not over. */
  get leads(): boolean {
    return this.#leads && this.#parts.lease.isHeld;
  }

  /** Whether revisions are on their way. */
  get hasSteps(): boolean {
    return this.#hasTurns || this.#jobs.keys().size > 0;
  }

  /** Whether something has to be looked at without being told of. */
  get hasWork(): boolean {
    return this.hasSteps || this.#supervisor.hasLive;
  }

  /** Something changed: looks at once. */
  wake(): void {
    this.once().catch((error) => this.#parts.logger.error("reconcile.failed", { error }));
  }

  /** Takes every step that can be taken now, and starts the long ones. */
  once(): Promise<void> {
    if (!this.leads) return Promise.resolve();
    if (this.#turn) {
      this.#again = true;
      return this.#turn;
    }
    this.#turn = this.#turns().finally(() => {
      this.#turn = undefined;
    });
    return this.#turn;
  }

  /** Looks after everything that runs. */
  async supervise(): Promise<void> {
    if (!this.leads || this.#supervising) return;
    this.#supervising = this.#supervisor.once().finally(() => {
      this.#supervising = undefined;
    });
    await this.#supervising;
  }

  /** Removes the folders that nobody needs. */
  async tidy(): Promise<void> {
    if (this.leads) await sweepFolders(this.#parts, (id) => this.#jobs.has(id));
  }

  /** Where another machine leads: ends what this one ran when it led, for it runs there now. */
  async endStrays(): Promise<void> {
    const { machines, hasDeployed, instances } = this.#parts;
    if (this.#leads || !machines || !hasDeployed()) return;
    // An instance without a place is being started, perhaps by a leader with the same data folder.
    const mayRunHere = async () =>
      (await instances.live()).filter(({ place }) => place === machines.here || place === null);
    await this.#eachDriver((driver) => driver.endStrays(mayRunHere));
  }

  async #endOrphans(live: Instance[]): Promise<void> {
    await this.#parts.endBuild("any");
    await this.#sweep(live);
  }

  async #sweep(live: Instance[]): Promise<void> {
    await this.#eachDriver((driver) =>
      driver.sweepOrphans(live.filter((instance) => instance.driver === driver.kind)),
    );
  }

  /** A container engine that does not answer does not keep the other drivers from their work. */
  async #eachDriver(work: (driver: Driver) => Promise<void>): Promise<void> {
    const { drivers, logger } = this.#parts;
    for (const driver of Object.values(drivers)) {
      try {
        await work(driver);
      } catch (error) {
        logger.warn("orphans.unknown", { driver: driver.kind, error });
      }
    }
  }

  async #turns(): Promise<void> {
    do {
      this.#again = false;
      await this.#look();
    } while (this.#again && this.#leads);
  }

  async #look(): Promise<void> {
    const { deployments, revisions } = this.#parts;
    const deleting = new Map((await deployments.awaitingDelete()).map((one) => [one.id, one]));
    const groups = Map.groupBy(await revisions.inFlight(), ({ deployment_id }) => deployment_id);
    this.#hasTurns = deleting.size + groups.size > 0;
    const turns = [...groups].flatMap(([id, group]) =>
      turnsOf(group, deleting.has(id)).map((turn) => {
        return { ...turn, kind: turn.step, owner: turn.revision.workspace_id, isDeleting: deleting.has(id) };
      }),
    );
    for (const { isDeleting, ...turn } of this.#jobs.fairly(turns)) await this.#take(turn, isDeleting);
    for (const deployment of deleting.values()) if (!groups.has(deployment.id)) this.#delete(deployment);
  }

  async #take({ revision, step }: Turn, isDeleting: boolean): Promise<void> {
    const parts = this.#parts;
    switch (step) {
      case "prepare":
        return this.#start(revision, step, (fresh, signal) => prepare(parts, fresh, signal));
      case "build":
        return this.#start(revision, step, (fresh, signal) => build(parts, fresh, signal));
      case "deploy":
        return this.#start(revision, step, (fresh, signal) => {
          // Others may start while it shows that it stays up.
          const isUp = () => this.#jobs.becomes(revision.id, "settle");
          const means = { switches: this.#switches, rebuilds: this.#rebuilds };
          return deploy(parts, means, fresh, { signal, isUp });
        });
      case "begin":
        this.#again = true;
        return begin(parts, revision);
      case "skip":
        await parts.revisions.move(revision.id, "QUEUED", "SKIPPED", { message: "A newer revision waits" });
        return;
      case "interrupt":
        if (this.#jobs.has(revision.id)) return this.#jobs.abort(revision.id);
        return this.#start(revision, step, (fresh) => interrupt(parts, fresh, isDeleting));
    }
  }

  #start(
    revision: Revision,
    kind: string,
    step: (fresh: Revision, signal: AbortSignal) => Promise<void>,
  ): void {
    const work = async (signal: AbortSignal) => {
      // The step before may have ended since the revision was read.
      const fresh = await this.#parts.revisions.find(revision.id);
      if (fresh?.status === revision.status && !isFinal(fresh.status)) await step(fresh, signal);
    };
    this.#jobs.start(revision.id, kind, work, revision.workspace_id);
  }

  #delete(deployment: Deployment): void {
    this.#jobs.start(deployment.id, "delete", (signal) =>
      deleteDeployment(this.#parts, this.#jobs, deployment, signal),
    );
  }

  async #stop(instance: Instance, graceMs: number): Promise<void> {
    const { instances, logger, readLog } = this.#parts;
    try {
      if (instance.state !== "serving") return await discard(this.#parts, instance, graceMs, "stopped");
      await driverFor(this.#parts, instance).stop(instance, graceMs);
      await readLog(instance);
      await instances.set(instance.id, { ...NOWHERE, retry_at: null });
    } catch (error) {
      logger.error("instance.not_stopped", { instance: instance.id, error });
    }
  }
}
