import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CgroupPlace,
  groupsIn,
  instancesFolder,
  NoCgroups,
  ownPlace,
  prepareGroups,
  putInto,
  textOf,
} from "./cgroup-place.ts";
import { BYTES_IN_MB, type Limits } from "./limits.ts";

/** In microseconds: in each of these an instance has so much of the processors. */
const PERIOD_US = 100_000;
/** A group that another Berth has just made is empty for a moment, too. */
const YOUNG_MS = 60_000;

/**
 * Holds instances to limits by the kernel's control groups (version 2), where Berth may make some: one group for each
 * instance that has a limit. Whatever the instance starts is in it. Nothing is touched before the first one.
 */
export class Cgroups {
  readonly #place: CgroupPlace | undefined;
  #made: { cpu: boolean } | undefined;
  /** Why there are none; undefined until that is known. */
  #reason: string | undefined;

  constructor(
    /** Told once why limits cannot be held like this. */
    private readonly onNone: (reason: string) => void,
    /** Where groups can be made; left out, this machine is looked at. */
    ...place: [CgroupPlace | undefined] | []
  ) {
    this.#place = place.length === 0 ? ownPlace() : place[0];
  }

  /**
   * Holds a process that was just started, and whatever it starts, to its limits.
   * @returns which of them are held
   */
  hold(id: string, pid: number, { memoryMb, cpus }: Limits): { memory: boolean; cpu: boolean } {
    if (memoryMb === null && cpus === null) return { memory: true, cpu: true };
    const made = this.#prepare();
    if (!made || !this.#place) return { memory: memoryMb === null, cpu: cpus === null };
    try {
      this.release(id);
      const group = join(instancesFolder(this.#place), id);
      mkdirSync(group, { recursive: true });
      if (memoryMb !== null) limitMemory(group, memoryMb);
      if (cpus !== null && made.cpu)
        writeFileSync(join(group, "cpu.max"), `${Math.round(cpus * PERIOD_US)} ${PERIOD_US}`);
      putInto(group, pid);
      return { memory: true, cpu: cpus === null || made.cpu };
    } catch (error) {
      this.release(id);
      this.#tellNone(error instanceof Error ? error.message : String(error));
      return { memory: memoryMb === null, cpu: cpus === null };
    }
  }

  /** Whether the kernel has ended something of an instance, since it was last started, for the memory that it took. */
  wasEnded(id: string): boolean {
    if (!this.#place) return false;
    const events = textOf(join(instancesFolder(this.#place), id, "memory.events"));
    return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0;
  }

  /** Removes the group of an instance that has ended; fine where there is none. */
  release(id: string): void {
    if (this.#place) removeGroup(join(instancesFolder(this.#place), id));
  }

  /** Removes the empty groups that a crash left. */
  sweep(known: ReadonlySet<string>): void {
    if (!this.#place) return;
    const folder = instancesFolder(this.#place);
    for (const name of groupsIn(folder))
      if (!known.has(name) && Date.now() - statSync(join(folder, name)).mtimeMs > YOUNG_MS)
        removeGroup(join(folder, name));
  }

  #prepare(): { cpu: boolean } | undefined {
    if (this.#made || this.#reason !== undefined) return this.#made;
    if (!this.#place) {
      this.#tellNone("there are no control groups of version 2 here");
      return undefined;
    }
    try {
      this.#made = prepareGroups(this.#place);
    } catch (error) {
      if (!(error instanceof NoCgroups)) throw error;
      this.#tellNone(error.message);
    }
    return this.#made;
  }

  #tellNone(reason: string): void {
    if (this.#reason === undefined) this.onNone(reason);
    this.#reason = reason;
  }
}

function limitMemory(group: string, memoryMb: number): void {
  writeFileSync(join(group, "memory.max"), String(memoryMb * BYTES_IN_MB));
  // What swaps goes on growing, and takes the machine along.
  const also = { "memory.swap.max": "0", "memory.oom.group": "1" };
  for (const [name, value] of Object.entries(also))
    if (existsSync(join(group, name))) writeFileSync(join(group, name), value);
}

/** A group with processes in it stays, as does what is no group. */
function removeGroup(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // It is not there, or what runs in it takes a moment longer: the next start of Berth looks again.
  }
}
