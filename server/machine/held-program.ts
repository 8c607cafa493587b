import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { VERSION } from "../version.ts";
import { ownProgram, type Program, programName } from "./executable.ts";
import { executablesInUse } from "./process-table.ts";

const FOLDER = "runtime";
const isLinux = process.platform === "linux";
/** Others may read and run it. */
const FOR_OTHERS = 0o005;

/** A program, and how other versions of it are removed where it is held. */
export type RunProgram = Program & { removeOthers?(): void };

/**
 * The program that runs right now, for what is started later. To be called at the start: afterwards its file may be
 * another version's. Sources are not held: whoever changes them changes what runs.
 * @param warn is told why it cannot be held after all
 */
export function holdProgram(dataDir: string, warn: (error: unknown) => void): RunProgram {
  const own = ownProgram();
  return own.sources === null ? new HeldProgram(dataDir, warn, own) : own;
}

/**
 * The compiled program that runs right now, whatever is put in the place of its file: what is deployed by a process is
 * of the version of that process. It is held open, and what runs it finds it in the data folder, as a link where that
 * can be (which takes no room) and as a copy elsewhere.
 */
class HeldProgram implements RunProgram {
  readonly sources = null;
  readonly #file: number;
  readonly #stats: Stats;
  readonly #path: string;

  constructor(
    private readonly dataDir: string,
    private readonly warn: (error: unknown) => void,
    private readonly own: Program,
  ) {
    // Also where it was replaced in the moment since it was started.
    this.#file = openSync(isLinux ? "/proc/self/exe" : own.file, "r");
    this.#stats = fstatSync(this.#file);
    const { size, mtimeMs } = this.#stats;
    const name = [VERSION, size.toString(36), Math.round(mtimeMs).toString(36)].join("-");
    this.#path = join(dataDir, FOLDER, name, programName(own));
  }

  /** Where it can be run from. What it was started from, where the data folder does not take it. */
  get file(): string {
    try {
      // Somebody may have tidied up.
      if (statSync(this.#path, { throwIfNoEntry: false })?.size !== this.#stats.size) this.#put();
      // Not where nothing may be run, by the options of the mount.
      accessSync(this.#path, constants.X_OK);
      return this.#path;
    } catch (error) {
      this.warn(error);
      return this.own.file;
    }
  }

  /** Removes other versions that nothing runs any more. */
  removeOthers(): void {
    const root = join(this.dataDir, FOLDER);
    const used = executablesInUse();
    if (used === undefined || !existsSync(root)) return;
    for (const name of readdirSync(root)) {
      const folder = join(root, name);
      if (folder === dirname(this.#path) || used.some((path) => path.startsWith(`${folder}/`))) continue;
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #put(): void {
    const folder = dirname(this.#path);
    mkdirSync(folder, { recursive: true });
    const isRoot = process.getuid?.() === 0;
    for (const each of [dirname(folder), folder]) chmodSync(each, isRoot ? 0o755 : 0o700);
    const unfinished = `${this.#path}.${process.pid}`;
    rmSync(unfinished, { force: true });
    try {
      const mayLink = !isRoot || (this.#stats.mode & FOR_OTHERS) === FOR_OTHERS;
      if (!(mayLink && this.#link(unfinished))) this.#copy(unfinished);
      renameSync(unfinished, this.#path);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }

  /** On one file system, and of a file that is ours. */
  #link(path: string): boolean {
    try {
      linkSync(this.own.file, path);
    } catch {
      return false;
    }
    if (isSame(statSync(path), this.#stats)) return true;
    rmSync(path);
    return false;
  }

  #copy(path: string): void {
    const isThere = isLinux || isSame(statSync(this.own.file), this.#stats);
    if (!isThere) throw new Error(`${this.own.file} is another program since this one was started`);
    const from = isLinux ? `/proc/self/fd/${this.#file}` : this.own.file;
    copyFileSync(from, path, constants.COPYFILE_FICLONE);
    chmodSync(path, 0o755);
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;
