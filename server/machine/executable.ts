import { basename, resolve } from "node:path";
import { AHEAD } from "../ahead/index.ts";

/** A command and what its environment must hold for it to do what it does. */
type Invocation = { command: string[]; env: Record<string, string> };

/** How this program starts itself, and how it acts as the `bun` that installs a project's dependencies. */
export type Executable = {
  /** What a thread of this process runs to be this program. */
  module: string;
  berth(args: readonly string[]): Invocation;
  bun(args: readonly string[]): Invocation;
};

/** Where the program is: one compiled file, or Bun and the sources. */
export type Program = Readonly<{ file: string; sources: string | null }>;

/** As it was started: when another file is put in its place, the system calls it deleted. */
const STARTED_FROM = process.execPath;

/** The program that runs right now. In an executable the sources are not files that could be named. */
export function ownProgram(): Program {
  const isCompiled = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/i.test(Bun.main);
  return { file: STARTED_FROM, sources: isCompiled ? null : resolve(import.meta.dir, "..") };
}

/**
 * What the compiled program does not do either: fetch packages that a project has not installed while it runs, and
 * read a `.env` where it stands.
 */
const AS_COMPILED = ["--no-install", "--no-env-file"];

/** @param program the one that runs, or its copy elsewhere */
export function executableOf(program: Program): Executable {
  const { sources } = program;
  // What the process itself was started with may be another file, which leads to it.
  const module = sources === null ? Bun.main : (ahead(sources) ?? resolve(sources, "main.ts"));
  const main = sources === null ? [] : [...AS_COMPILED, module];
  const asBun: Record<string, string> = sources === null ? { BUN_BE_BUN: "1" } : {};
  return {
    module,
    // Each time: one that is held may have to be put there anew.
    berth: (args) => ({ command: [program.file, ...main, ...args], env: {} }),
    bun: (args) => ({ command: [program.file, ...args], env: asBun }),
  };
}

/** The sources compiled ahead, where this process was started from them (`server/bootstrap.ts`). */
function ahead(sources: string): string | undefined {
  const [, started = ""] = process.argv;
  return started.startsWith(resolve(sources, "..", AHEAD.folder)) ? started : undefined;
}

/** What a copy of the program is called. */
export const programName = ({ file, sources }: Program) => (sources === null ? "berth" : basename(file));
