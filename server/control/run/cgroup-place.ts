import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDescendant } from "../../machine/index.ts";

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
export class NoCgroups extends Error {}

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
export const instancesFolder = (place: CgroupPlace): string => join(baseOf(place), INSTANCES);

/**
 * Makes the folder below which instances can be held to limits: in the group that was delegated to us (systemd's
 * `Delegate=yes`), or as root at the top. Moves ourselves into a group of our own where the rules ask for that.
 * @returns whether processors can be limited, too
 * @throws NoCgroups
 */
export function prepareGroups(place: CgroupPlace): { cpu: boolean } {
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
export function putInto(group: string, pid: number): void {
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
export function groupsIn(folder: string): string[] {
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
