import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type Database, type Instance, pidsHere } from "@berth/store";
import { dataMark } from "../machine/index.ts";
import type { Settings } from "../settings/index.ts";
import { COMPLETE } from "./build/index.ts";
import { isShared } from "./files/index.ts";

/** Where this process starts things, among the machines that share its database; null where one has it all. */
export function placeHere(db: Database, settings: Pick<Settings, "databaseFile" | "dataDir">): string | null {
  return isShared(settings) ? `${pidsHere(db)} ${dataMark(settings.dataDir)}` : null;
}

/** Whether the pids of a place mean the same here. */
export const seesPids = (db: Database, place: string): boolean => place.startsWith(`${pidsHere(db)} `);

/** Whether an instance is one of this place. */
export const isOf =
  (here: string | null) =>
  ({ place }: Pick<Instance, "place">): boolean =>
    place === here;

/** Whether a revision was built on this machine, to the end. */
export const hasBuilt = (dataDir: string, revisionId: string): boolean =>
  existsSync(join(dataDir, "builds", revisionId, COMPLETE));

/** Hosts that stand for every address of a machine. */
const EVERY = new Set(["0.0.0.0", "::", "[::]", ""]);

/**
 * Where other machines reach a process that listens here.
 * @param ownUrl where this machine reaches it
 */
export function addressFor(
  { advertiseUrl, host }: Pick<Settings, "advertiseUrl" | "host">,
  ownUrl: string,
): string {
  if (advertiseUrl !== null) return advertiseUrl;
  const own = EVERY.has(host) ? firstAddress() : undefined;
  if (own === undefined) return ownUrl;
  const url = new URL(ownUrl);
  url.hostname = own;
  return url.origin;
}

/** The first address of this machine that others may reach. */
function firstAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const reached = all.filter(({ internal }) => !internal);
  return reached.find(({ family }) => family === "IPv4")?.address;
}
