import type { Clock } from "@berth/agent";
import type { Deployments, Instance, Instances, RevisionStatus, Revisions } from "@berth/store";
import { durationsOf } from "@berth/store";

/** An instance that serves. */
export type Serving = Pick<Instance, "id" | "token" | "pid" | "pid_started"> & {
  /** A port of this machine, or an address elsewhere. */
  at: number | URL;
};

/** Where the requests of a deployment go. */
export type Target = {
  workspaceId: string;
  name: string;
  /** Those that serve, side by side. */
  instances: readonly Serving[];
  /** Whether its project says itself who may call, and nobody wants a key of ours beside that. Not known, it is not. */
  hasOwnAuth: boolean;
  /** What served is being started again, and will be there in a moment. */
  isRestarting: boolean;
  /** What serves sleeps; `woken` when it is about to start. */
  sleep: "asleep" | "woken" | null;
  /** The newest revision, which says why nothing serves. */
  latest: { id: string; status: RevisionStatus } | null;
};

export type TargetSources = {
  deployments: Pick<Deployments, "find">;
  revisions: Pick<Revisions, "find">;
  instances: Pick<Instances, "ofDeployment">;
  /** Whether it runs on this machine: nobody else's ports mean anything here. */
  isHere?: ((instance: Pick<Instance, "place">) => boolean) | undefined;
  clock: Clock;
};

/** For so long something that is being started again is worth waiting for. */
export const PATIENCE_MS = 2_000;
/** Another process that brings deployments about, on the same database, tells nobody: what is known grows old. */
const TRUST_MS = 250;
const MOST_KNOWN = 10_000;

type Known = { target: Target; at: number };

/** Finds what serves a deployment. What this process changes itself is seen with the next request. */
export class Targets {
  readonly #sources: TargetSources;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<boolean>>();

  constructor(sources: TargetSources) {
    this.#sources = sources;
  }

  /** The deployment may be served otherwise from now on: what is being read has no say any more. */
  forget(deploymentId: string): void {
    this.#known.delete(deploymentId);
    this.#reading.delete(deploymentId);
  }

  /** What is known did not prove good; who is reading already may finish. */
  doubt(deploymentId: string): void {
    this.#known.delete(deploymentId);
  }

  /**
   * Calls `use` with what serves a deployment: at once, with nothing in between in which that could change.
   * Undefined when there is no such deployment.
   */
  async with<T>(deploymentId: string, use: (target: Target) => T | Promise<T>): Promise<T | undefined> {
    for (;;) {
      const known = this.#known.get(deploymentId);
      if (known && durationsOf(this.#sources.clock).now() - known.at < TRUST_MS) return use(known.target);
      const exists = await (this.#reading.get(deploymentId) ?? this.#read(deploymentId));
      if (!exists) return undefined;
    }
  }

  /** Reads once for all who ask; false when there is no such deployment. */
  #read(deploymentId: string): Promise<boolean> {
    const reading: Promise<boolean> = this.#load(deploymentId)
      .then((target) => {
        const holds = this.#reading.get(deploymentId) === reading;
        if (target && holds)
          this.#remember(deploymentId, { target, at: durationsOf(this.#sources.clock).now() });
        return target !== undefined;
      })
      .finally(() => {
        if (this.#reading.get(deploymentId) === reading) this.#reading.delete(deploymentId);
      });
    this.#reading.set(deploymentId, reading);
    return reading;
  }

  async #load(deploymentId: string): Promise<Target | undefined> {
    const { deployments, revisions, instances } = this.#sources;
    const deployment = await deployments.find(deploymentId);
    if (deployment === undefined || deployment.deleted_at !== null) return undefined;
    const all = await instances.ofDeployment(deploymentId);
    const serving = all.filter(({ state }) => state === "serving");
    const first = serving.find(({ replica }) => replica === 0);
    const { isHere = () => true } = this.#sources;
    const up = serving.flatMap((one) => {
      const { id, port, address, token, pid, pid_started } = one;
      const at = address === null ? port : new URL(address);
      return at === null || (address === null && !isHere(one)) ? [] : [{ id, at, token, pid, pid_started }];
    });
    const {
      workspace_id: workspaceId,
      name,
      latest_revision_id,
      active_revision_id,
      source_config,
    } = deployment;
    const hasOwnAuth =
      serving.some(({ own_auth }) => own_auth === 1) && source_config.require_api_key !== true;
    if (up.length > 0)
      return { workspaceId, name, instances: up, hasOwnAuth, isRestarting: false, sleep: null, latest: null };
    const latest = latest_revision_id === null ? undefined : await revisions.find(latest_revision_id);
    return {
      workspaceId,
      name,
      instances: [],
      hasOwnAuth,
      isRestarting: active_revision_id !== null && this.#isDue(first),
      sleep: this.#sleepOf(first),
      latest: latest === undefined ? null : { id: latest.id, status: latest.status },
    };
  }

  /** One that keeps dying is left alone for longer and longer. */
  #isDue(serving: Instance | undefined): boolean {
    const wait = (serving?.retry_at ?? 0) - this.#sources.clock.now();
    return wait < PATIENCE_MS;
  }

  #sleepOf(serving: Instance | undefined): Target["sleep"] {
    if (!serving || serving.asleep_since === null) return null;
    const isWoken = serving.wake_at !== null && serving.wake_at <= this.#sources.clock.now();
    return isWoken ? "woken" : "asleep";
  }

  #remember(deploymentId: string, known: Known): void {
    this.#known.delete(deploymentId);
    this.#known.set(deploymentId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}
