import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { BYTES_IN_MB, isDescendant } from "../../machine/index.ts";
import type { Limits } from "./limits.ts";

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

/** Where this process is among the control groups of version 2, and what it may do there. */
export type CgroupPlace = {
  /** Where they are mounted, and the path of our own group from there. */
  mount: string;
  path: string;
  isRoot: boolean;
  pid: number;
  /** Whether a process was started by us. */
  isOurs(pid: number): boolean;
};

/** Control groups cannot be used here; the message says why. */
class NoCgroups extends Error {}

/** Berth's own group, once it makes others beside it: a group with processes in it has no groups with limits. */
const OWN_LEAF = "berth";
const INSTANCES = "berth-instances";
const MOVES = 10;

/** Undefined where this is no Linux, or where version 2 is not mounted. */
export function ownPlace(): CgroupPlace | undefined {
  const mounted = mountOf(textOf("/proc/self/mountinfo"));
  const path = /^0::(\/.*)$/m.exec(textOf("/proc/self/cgroup"))?.[1];
  if (mounted === undefined || path === undefined || path.includes("..")) return undefined;
  const isBelow = mounted.root === "/" || path === mounted.root || path.startsWith(`${mounted.root}/`);
  if (!isBelow) return undefined;
  return {
    mount: mounted.at,
    path: mounted.root === "/" ? path : path.slice(mounted.root.length) || "/",
    isRoot: process.getuid?.() === 0,
    pid: process.pid,
    isOurs: (pid) => isDescendant(pid, process.pid),
  };
}

/** The mount of version 2 in `/proc/self/mountinfo`, and which part of the tree it shows. */
function mountOf(mountinfo: string): { at: string; root: string } | undefined {
  for (const line of mountinfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "/", at] = before.split(" ");
    if (after.startsWith("cgroup2 ") && at !== undefined) return { at, root };
  }
  return undefined;
}

/** The folder below which the groups of instances are. */
const instancesFolder = (place: CgroupPlace): string => join(baseOf(place), INSTANCES);

/**
 * Makes the folder below which instances can be held to limits: in the group that was delegated to us (systemd's
 * `Delegate=yes`), or as root at the top. Moves ourselves into a group of our own where the rules ask for that.
 * @returns whether processors can be limited, too
 * @throws NoCgroups
 */
function prepareGroups(place: CgroupPlace): { cpu: boolean } {
  const base = baseOf(place);
  const controllers = textOf(join(base, "cgroup.controllers")).split(/\s+/);
  if (!controllers.includes("memory")) throw new NoCgroups("no memory controller of version 2 is at hand");
  try {
    if (base === join(place.mount, place.path) && !isTop(base)) moveOurselves(place, base);
    const folder = instancesFolder(place);
    const cpu = controllers.includes("cpu");
    enable(base, cpu);
    mkdirSync(folder, { recursive: true });
    enable(folder, cpu);
    return { cpu };
  } catch (error) {
    if (error instanceof NoCgroups) throw error;
    throw new NoCgroups(`${base} is not delegated to Berth: ${reasonOf(error)}`);
  }
}

/** The group in which we make others. */
function baseOf({ mount, path, isRoot }: CgroupPlace): string {
  const own = join(mount, path);
  // Where we have been before, or were put by `DelegateSubgroup=berth`.
  if (basename(own) === OWN_LEAF && path !== "/") return dirname(own);
  // A service is ours; a session is also that of the shell that started us, so as root we begin at the top.
  return isRoot && isTop(mount) && !path.endsWith(".service") ? mount : own;
}

/** The top of all groups is the only one without a type, and the only one that may have processes beside groups. */
const isTop = (folder: string): boolean => !existsSync(join(folder, "cgroup.type"));

/** Only where nobody else is in our group: other people's processes are not ours to move. */
function moveOurselves({ pid: own, isOurs }: CgroupPlace, base: string): void {
  const leaf = join(base, OWN_LEAF);
  for (let round = 0; round < MOVES; round += 1) {
    const members = textOf(join(base, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
    if (members.length === 0) return;
    const stranger = members.find((pid) => pid !== own && !isOurs(pid));
    if (stranger !== undefined) throw new NoCgroups(`process ${stranger} is in Berth's control group, too`);
    mkdirSync(leaf, { recursive: true });
    for (const pid of members) putInto(leaf, pid);
  }
}

/** Puts a process into a group; one that has ended needs none. */
function putInto(group: string, pid: number): void {
  try {
    writeFileSync(join(group, "cgroup.procs"), String(pid));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function enable(folder: string, cpu: boolean): void {
  writeFileSync(join(folder, "cgroup.subtree_control"), cpu ? "+memory +cpu" : "+memory");
}

/** Names of the groups below a folder. */
function groupsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Empty for what is not there. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
