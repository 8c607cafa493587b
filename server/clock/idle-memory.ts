import type { Job } from "./loop.ts";

const LOOK_MS = 5_000;
/** A process that uses less of a processor than this has nothing to do but look whether there is something. */
const CALM_SHARE = 0.1;
/** A pause in a conversation is shorter: what was compiled for it stays. */
const CALM_MS = 25_000;

type IdleMemoryDeps = {
  /** Processor time that the process has used, ms. */
  cpuMs(): number;
  giveBack(): void;
};

/**
 * Has a process that was busy give memory back once it is calm: the runtime collects when memory is asked for, so what
 * a load has left would stay until the next one.
 */
export class IdleMemory {
  #cpuMs = 0;
  #lookedAt: number | undefined;
  #busyAt = 0;
  #isGiven = false;

  constructor(private readonly deps: IdleMemoryDeps) {}

  readonly job: Job = { name: "process.idle_memory", everyMs: LOOK_MS, once: async (now) => this.#look(now) };

  #look(now: number): void {
    const cpuMs = this.deps.cpuMs();
    const isBusy = this.#lookedAt === undefined || cpuMs - this.#cpuMs > (now - this.#lookedAt) * CALM_SHARE;
    this.#cpuMs = cpuMs;
    this.#lookedAt = now;
    if (isBusy) {
      this.#busyAt = now;
      this.#isGiven = false;
    }
    if (this.#isGiven || now - this.#busyAt < CALM_MS) return;
    this.#isGiven = true;
    this.deps.giveBack();
  }
}

/** @param ways how this process gives memory back, in this order */
export function idleMemory(ways: (() => void)[]): Job {
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const giveBack = () => {
    for (const way of ways) way();
  };
  return new IdleMemory({ cpuMs, giveBack }).job;
}
