import { chmodSync, closeSync, fchownSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  BUILD_MARK,
  DATA_MARK,
  dataMark,
  type Executable,
  Folders,
  surroundings,
  Trash,
  type Users,
} from "../../machine/index.ts";
import type { Texts } from "../../settings/index.ts";
import { BuildFailed, type BuildOrder, type LineLevel } from "./order.ts";
import { runStep, type Step, type StepEnd } from "./step.ts";

export type WorkbenchDeps = {
  dataDir: string;
  users: Users;
  executable: Executable;
  /** Berth's own environment. */
  environment: Texts;
};

/** The folder of the project inside a revision's folder. */
export const SOURCE = "source";

/** Lines of one program that are kept; whoever prints more has the last of them in the failure's message. */
const MAX_LINES = 5_000;
const LAST_LINES = 12;
/** Lines that look like the reason of a failure; the first ones are it. */
const MOST_FAULTS = 5;

export type Command = {
  /** What the log calls it: `bun install`. */
  what: string;
  command: readonly string[];
  cwd: string;
  limitSeconds: number;
  env?: Record<string, string>;
};

/**
 * What one build works with: the project's folder, a home and a temporary folder that are gone afterwards, and the
 * user that everything runs as. The folder around them is Berth's own: a project could put a link in its place.
 */
export class Workbench {
  readonly order: BuildOrder;
  /** The project. */
  readonly source: string;
  readonly uid: number | null;
  readonly home: string;
  readonly cache: string;
  readonly #deps: WorkbenchDeps;
  readonly #work: string;

  private constructor(deps: WorkbenchDeps, order: BuildOrder) {
    this.#deps = deps;
    this.order = order;
    this.uid = deps.users.uidOf(order.deployment);
    this.source = join(order.folder, SOURCE);
    this.#work = join(order.folder, "work");
    this.home = join(this.#work, "home");
    const { users, dataDir } = deps;
    this.cache = users.isolated
      ? new Folders(dataDir, users).of(order.deployment).cache
      : join(dataDir, "cache");
  }

  /** Clears the order's folder, whatever an earlier attempt left in it, and lays everything out. */
  static async open(deps: WorkbenchDeps, order: BuildOrder): Promise<Workbench> {
    const { isolated } = deps.users;
    const folders = new Folders(deps.dataDir, deps.users);
    folders.prepareRoots();
    await new Trash(deps.dataDir).remove(order.folder);
    const bench = new Workbench(deps, order);
    for (const folder of [order.folder, bench.#work]) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, isolated ? 0o711 : 0o700);
    }
    for (const name of ["home", "tmp"]) await deps.users.ownFolder(join(bench.#work, name), bench.uid);
    if (isolated) await folders.prepare(order.deployment);
    else mkdirSync(bench.cache, { recursive: true });
    bench.#layOutBun();
    return bench;
  }

  /** What every program of the build is told. */
  environment(): Record<string, string> {
    const { PATH, ...others } = surroundings(this.#deps.environment);
    return {
      ...others,
      PATH: `${join(this.#work, "bin")}:${PATH}`,
      HOME: this.home,
      TMPDIR: join(this.#work, "tmp"),
      BUN_INSTALL_CACHE_DIR: this.cache,
      [BUILD_MARK]: this.order.revision.id,
      [DATA_MARK]: dataMark(this.#deps.dataDir),
    };
  }

  /** A file of the build's own that its user may read, and nobody else. */
  hand(path: string, content: string, uid = this.uid): void {
    // By its descriptor: in a folder of the user's, the path may be another file's by the time it is given.
    const file = openSync(path, "wx", 0o600);
    try {
      writeFileSync(file, content);
      if (uid !== null) fchownSync(file, uid, uid);
    } finally {
      closeSync(file);
    }
  }

  /** A folder of the build's own for another user than the deployment's. */
  async folderFor(name: string, uid: number | null): Promise<string> {
    const path = join(this.#work, name);
    await this.#deps.users.ownFolder(path, uid);
    return path;
  }

  /** Makes the empty folder of the project, for whoever fills it. */
  openSource(uid: number | null): Promise<void> {
    return this.#deps.users.ownFolder(this.source, uid);
  }

  /** Makes the project's folder the deployment's own, when whoever filled it is done. */
  giveSource(): Promise<void> {
    return this.#deps.users.give(this.source, this.uid);
  }

  /** Runs a program without a word in the log. */
  quietly(step: Omit<Step, "uid" | "env"> & { uid?: number | null; env?: Record<string, string> }) {
    const env = { ...this.environment(), ...step.env };
    return runStep(this.#deps.users, this.order, { uid: this.uid, ...step, env });
  }

  /**
   * Runs a program of the build; its output goes to the revision's log.
   * @throws BuildFailed with the last lines of its output
   */
  async run({ what, limitSeconds, ...command }: Command): Promise<void> {
    this.order.say(`$ ${what}`);
    const output = new Output(this.order.say);
    const onLine = (line: string) => output.take(line);
    const end = await this.quietly({ ...command, limitSeconds, maxLines: MAX_LINES, onLine });
    output.end(end.skippedBytes);
    if (end.code !== 0 || end.outOfTime)
      throw new BuildFailed(failure(what, end, limitSeconds, output.told()));
  }

  /** Removes all but the project. */
  async clear(): Promise<void> {
    await new Trash(this.#deps.dataDir).remove(this.#work);
  }

  /** `bun` and `bunx` for commands of the project: there may be no other on the machine. */
  #layOutBun(): void {
    const folder = join(this.#work, "bin");
    // Berth's own: programs are looked for here first, and nobody else may add one.
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    for (const [name, first] of [
      ["bun", []],
      ["bunx", ["x"]],
    ] as const) {
      const { command, env } = this.#deps.executable.bun(first);
      const settings = Object.entries(env).map(([key, value]) => `${key}=${quoted(value)} `);
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${settings.join("")}exec ${command.map(quoted).join(" ")} "$@"\n`);
      chmodSync(path, 0o755);
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function failure(what: string, { code, outOfTime }: StepEnd, limitSeconds: number, last: string[]): string {
  const how = outOfTime ? `was ended after ${limitSeconds} seconds` : `failed with exit code ${code}`;
  return last.length === 0 ? `${what} ${how}` : `${what} ${how}: ${last.join(" | ")}`;
}

/** How package managers and compilers begin, or mark, what is wrong. */
const FAULT = /\berror\b(?!s?:? 0\b)|\bERR[_!]/i;

/** The lines that say what is wrong lead: of a long list only the beginning is seen. */
function faultsFirst(lines: readonly string[], faults: readonly string[]): string[] {
  const said = new Set(faults);
  return [...said, ...lines.filter((line) => !said.has(line))].slice(0, LAST_LINES);
}

class Output {
  readonly #last: string[] = [];
  readonly #faults: string[] = [];
  readonly #say: (line: string, level?: LineLevel) => void;
  #lines = 0;

  constructor(say: BuildOrder["say"]) {
    this.#say = say;
  }

  take(line: string): void {
    if (line.trim() === "") return;
    this.#lines += 1;
    if (this.#lines <= MAX_LINES) this.#say(line);
    const short = line.trim().slice(0, 300);
    this.#last.push(short);
    if (this.#last.length > LAST_LINES) this.#last.shift();
    if (this.#faults.length < MOST_FAULTS && FAULT.test(short)) this.#faults.push(short);
  }

  /** What a failure quotes. */
  told(): string[] {
    return faultsFirst(this.#last, this.#faults);
  }

  /** @param skippedBytes output that was not read */
  end(skippedBytes: number): void {
    const dropped = this.#lines - MAX_LINES;
    if (skippedBytes > 0) this.#say(`… and more than ${skippedBytes} bytes, which are not kept`, "WARNING");
    else if (dropped > 0) this.#say(`… and ${dropped} more lines, which are not kept`, "WARNING");
  }
}
