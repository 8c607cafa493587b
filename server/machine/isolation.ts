import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { letPass } from "../data-folder/index.ts";
import type { Settings } from "../settings/index.ts";
import { VERSION } from "../version.ts";
import { type Executable, executableOf, ownProgram, type Program, programName } from "./executable.ts";
import { Users } from "./users.ts";

/** How deployments are kept apart on this machine. */
export type Isolation = {
  users: Users;
  executable: Executable;
  /** Why they are not, for the log; null where they are. */
  warning: string | null;
};

/** Has no rights of its own anywhere: `nobody`. */
const STRANGER = 65_534;
const TRIAL_MS = 20_000;

/**
 * Finds out whether each deployment can run as a user of its own, and lets those users pass through the data
 * folder to what is theirs.
 */
export function prepareIsolation(
  { dataDir }: Pick<Settings, "dataDir">,
  program: Program = ownProgram(),
): Isolation {
  const own = executableOf(program);
  const together = (reason: string) => ({
    users: new Users({ isolated: false }),
    executable: own,
    warning: `${reason}: deployed agents run as Berth's own user and can read what it can`,
  });
  if (process.getuid?.() !== 0) return together("Berth does not run as root");
  letPass(dataDir);
  const closed = closedFolder(dataDir);
  if (closed !== undefined) return together(`no other user can pass through ${closed} to the data folder`);
  const apart = (executable: Executable) => ({
    users: new Users({ isolated: true }),
    executable,
    warning: null,
  });
  if (canStart(own)) return apart(own);
  const copy = executableOf({ ...program, file: copyOf(program, dataDir) });
  return canStart(copy) ? apart(copy) : together("no other user can read Berth's own program");
}

/** The first folder on the way that others cannot pass. */
function closedFolder(path: string): string | undefined {
  const above = dirname(path) === path ? undefined : closedFolder(dirname(path));
  return above ?? ((statSync(path).mode & 0o001) === 0 ? path : undefined);
}

/** Whether a user without any rights can start the program: only a trial knows about all that could be in the way. */
function canStart(executable: Executable): boolean {
  const { command, env } = executable.berth(["--version"]);
  const stdio: ["ignore", "ignore", "ignore"] = ["ignore", "ignore", "ignore"];
  const stranger = { uid: STRANGER, gid: STRANGER };
  try {
    return Bun.spawnSync(command, { cwd: "/", env, stdio, ...stranger, timeout: TRIAL_MS }).exitCode === 0;
  } catch {
    return false;
  }
}

/** The program lies where only its owner may look (a home folder, a package cache): a copy that everybody may run. */
function copyOf(program: Program, dataDir: string): string {
  const { size } = statSync(program.file);
  const folder = join(dataDir, "runtime", `${VERSION}-${size}`);
  const path = join(folder, programName(program));
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  for (const each of [dirname(folder), folder]) chmodSync(each, 0o755);
  const unfinished = `${path}.${process.pid}`;
  copyFileSync(program.file, unfinished);
  chmodSync(unfinished, 0o755);
  renameSync(unfinished, path);
  return path;
}
