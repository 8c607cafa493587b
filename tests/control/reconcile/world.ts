import type { Instance } from "@berth/store";

/** A process of a deployment in the world outside. */
export type Running = {
  pid: number;
  instanceId: string;
  driver: Instance["driver"];
  deploymentId: string;
  /** What its revision is called. */
  name: string;
  port: number;
  claims: boolean;
};

/** What a crash of Berth does not take along: processes, folders, and what other people's code does. */
export class World {
  now = Date.UTC(2026, 0, 1);
  /** How each revision turns out, by its name; fine where it is not named. */
  readonly faults = new Map<string, "prepare" | "build" | "start" | "health" | "hang" | "full">();
  readonly processes = new Map<number, Running>();
  /** Processes that live and answer nobody. */
  readonly hanging = new Set<number>();
  /** Processes that take all the time they are given to end. */
  readonly stubborn = new Set<number>();
  /** What processes take of the memory, in bytes; nothing where it is not said. */
  readonly memory = new Map<number, number>();
  /** Instances whose end the system made, for their memory. */
  readonly endedBySystem = new Set<string>();
  /** Why instances had to be started again. */
  readonly restarts: string[] = [];
  /** Revisions that kept ending, and whether an earlier one took their place. */
  readonly loops: boolean[] = [];
  /** How many builds, and starts, one workspace may have at once. */
  workspaceConcurrency = 4;
  /** Who has been asked for nothing for that long falls asleep; nobody does at 0. */
  sleepMs = 0;
  /** When somebody asked for something last. */
  askedAt = 0;
  /** Whether clusters take questions and answer none. */
  clustersHang = false;
  /** Whether nobody can say what runs. */
  isSilent = false;
  /** Programs of builds, and whose. */
  readonly children = new Map<number, string>();
  readonly folders = new Set<string>();
  readonly files = new Set<string>();
  /** What happens once, between a look at the rows and what is done about them. */
  betweenLookAndDeed: (() => Promise<void>) | undefined;
  /** Anything that must never be, as it was seen. */
  readonly wrongs: string[] = [];
  #pid = 100;
  #timers: { at: number; resolve: () => void }[] = [];

  nextPid(): number {
    this.#pid += 1;
    return this.#pid;
  }

  startProcess(instance: Instance, name: string, standby: boolean): Running {
    const pid = this.nextPid();
    const twin = [...this.processes.values()].find((other) => other.instanceId === instance.id);
    if (twin) this.wrongs.push(`instance ${instance.id} runs twice`);
    const running = {
      pid,
      instanceId: instance.id,
      driver: instance.driver,
      deploymentId: instance.deployment_id,
      name,
      port: 40_000 + pid,
      claims: false,
    };
    this.processes.set(pid, running);
    if (!standby) this.claim(running, true);
    return running;
  }

  claim(running: Running, claims: boolean): void {
    const others = [...this.processes.values()].filter(
      (other) => other !== running && other.deploymentId === running.deploymentId && other.claims,
    );
    if (claims && others.length > 0) this.wrongs.push(`two processes of ${running.deploymentId} claim runs`);
    running.claims = claims;
  }

  byPort(port: number | null): Running | undefined {
    return [...this.processes.values()].find((running) => running.port === port);
  }

  of(deploymentId: string): Running[] {
    return [...this.processes.values()].filter((running) => running.deploymentId === deploymentId);
  }

  /** Resolves when time has been turned that far. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve());
    if (Number.isFinite(ms)) this.#timers.push({ at: this.now + ms, resolve });
    return promise;
  }

  turn(ms: number): void {
    this.now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.now);
    this.#timers = this.#timers.filter(({ at }) => at > this.now);
    for (const { resolve } of due) resolve();
  }
}
