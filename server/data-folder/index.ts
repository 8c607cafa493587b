import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { closeToOthers, isOpen, makePrivateFolder } from "@berth/store";
import { StartError } from "../exit/index.ts";

export { checkRoom } from "./disk-room.ts";

const STICKY = 0o1000;
/** What SQLite keeps: a database, and what lies beside it. */
const DATABASE = /\.db(?:-wal|-shm|-journal)?$/;
const PASS = 0o011;

/**
 * Makes the data folder, or closes it to other users of this machine: conversations, secrets and uploads are in it.
 * Where it runs as root, users of deployments that could pass through it can go on to: instances of the last start run.
 * @throws StartError it cannot be made
 */
export function closeDataFolder(dataDir: string): void {
  makeFolder(dataDir);
  const { mode } = statSync(dataDir);
  if (isShared(mode)) return;
  const passing = process.getuid?.() === 0 ? mode & PASS : 0;
  const closed = (mode & 0o700) | passing;
  if (closed !== (mode & 0o777)) closeToOthers(dataDir, closed);
  for (const [name, own] of OWN_ONLY) {
    const path = join(dataDir, name);
    if (existsSync(path)) closeToOthers(path, own);
  }
  // Also those that this start opens none of, such as one that the engine of 0.1.0 had.
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    if (DATABASE.test(name) && lstatSync(path).isFile() && isOpen(path)) closeToOthers(path, 0o600);
  }
}

function makeFolder(dataDir: string): void {
  try {
    makePrivateFolder(dataDir);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new StartError(
      `cannot use the data folder ${dataDir}: ${code === "EEXIST" ? "it is not a folder" : code}`,
    );
  }
}

/** Lets the users of deployments pass through the data folder to what is theirs; they list and read nothing. */
export function letPass(dataDir: string): void {
  const { mode } = statSync(dataDir);
  if (!isShared(mode)) chmodSync(dataDir, (mode & 0o700) | PASS);
}

/** Whether other users may list, read or write in it, as opposed to pass through it. */
export function isOpenFolder(path: string): boolean {
  const { mode } = statSync(path);
  return !isShared(mode) && (mode & 0o077 & ~PASS) !== 0;
}

/** What only Berth reads, beside the databases. */
const OWN_ONLY: [name: string, mode: number][] = [
  ["secrets.key", 0o600],
  ["uploads", 0o700],
];

/** A folder such as /tmp is shared with others, who need it as it is. */
function isShared(mode: number): boolean {
  return (mode & STICKY) !== 0;
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** `1.4 GiB`. */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}
