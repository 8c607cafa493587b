import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readCompilerTexts } from "./compiler-texts.ts" with { type: "macro" };
import type { JsonSchema } from "./draft-07.ts";
import { importFile } from "./langgraph-copy.ts";
import type { SubgraphPlace } from "./subgraph-places.ts";

/** Where a compiler can be asked, and the folder in which it finds what was written for it. */
export type CompilerPlace = { pipe: string; folder: string };

/** What the compiler is asked: declarations of the probe, and what stands at places of the sources. */
export type CompilerQuestion = { probe: string; names: string[]; places: SubgraphPlace[] };
/** By the name of a declaration; and in the order of the places, null where there is no graph. */
export type CompilerAnswer = {
  declared: Record<string, Record<string, JsonSchema>>;
  places: (Record<string, JsonSchema> | null)[];
};

/** A socket's path may hold some hundred bytes; what is added to the folder for temporary files is less than this. */
const LONGEST_FOLDER = 60;

type NewCompiler = {
  /** Folder of the project. */
  dir: string;
  /** Folder from which `typescript` is resolved. */
  packages: string;
  /** Files beside the project that the compiler reads, by name. */
  files: Record<string, string>;
};

/**
 * Starts the compiler of `typescript` 7, lets `work` ask it, and ends it whatever happens.
 *
 * TypeScript's interface starts its compiler by itself, and would leave it behind: with the server's own stderr
 * open, and for ever where the server is killed while the compiler waits for a file that it asked the server for.
 * So the process is started here, without an output of ours; the interface speaks to it through a socket; and what
 * is not on disk anyway is written to a folder of its own, so that the compiler never waits for anybody. The end
 * of its input, which comes when the server dies, then ends it.
 */
export async function withCompiler<T>(
  { dir, packages, files }: NewCompiler,
  work: (place: CompilerPlace) => Promise<T>,
): Promise<T> {
  const program = await compilerOf(packages);
  const folder = mkdtempSync(join(tmpdir().length > LONGEST_FOLDER ? "/tmp" : tmpdir(), "berth-types-"));
  const pipe = join(folder, "compiler.sock");
  let child: ChildProcess | undefined;
  let server: Server | undefined;
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    child = spawn(program, ["--api", "--async", "--cwd", dir], { stdio: ["pipe", "pipe", "ignore"] });
    server = await passOn(child, pipe);
    return await work({ pipe, folder });
  } finally {
    server?.close();
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

const olderCompiler = readCompilerTexts();
const WANTED = "wanted.json";

type OlderCompiler = {
  /** Where the package's main file is. */
  typescript: string;
  files: Record<string, string>;
  settings: string;
  probe: string;
  asked: CompilerQuestion;
  limitMs: number;
};

/**
 * Runs the compiler of a project's `typescript` 5 or 6, which works inside a process of its own that ends with it and
 * with this one.
 * @throws Error it failed, or took too long
 */
export async function withOlderCompiler({
  typescript,
  files,
  settings,
  probe,
  asked: { names, places },
  limitMs,
}: OlderCompiler): Promise<CompilerAnswer> {
  const folder = mkdtempSync(join(tmpdir(), "berth-types-"));
  try {
    const wanted = JSON.stringify({ names, places });
    for (const [name, text] of Object.entries({ ...olderCompiler, ...files, [WANTED]: wanted }))
      writeFileSync(join(folder, name), text);
    const program = join(folder, "older-compiler.ts");
    // A compiled Berth is Bun as well, when it is asked to be.
    const child = Bun.spawn(
      [
        OWN_PROGRAM,
        "run",
        program,
        typescript,
        ...[settings, probe, WANTED].map((name) => join(folder, name)),
      ],
      {
        cwd: folder,
        env: { PATH: process.env.PATH, BUN_BE_BUN: "1" },
        stdio: ["pipe", "pipe", "ignore"],
        timeout: limitMs,
        killSignal: "SIGKILL",
      },
    );
    const said = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error("the compiler failed");
    return JSON.parse(said);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Also when another file was put in the place of this program's. */
const OWN_PROGRAM = process.platform === "linux" ? "/proc/self/exe" : process.execPath;

/** The compiler's program, which TypeScript's package finds for the machine; it does not export how. */
async function compilerOf(packages: string): Promise<string> {
  const about = Bun.resolveSync("typescript/package.json", packages);
  const found: { default(): string } = await importFile(join(dirname(about), "lib", "getExePath.js"));
  return found.default();
}

/** Passes what is said through a socket on to a process, and back. */
async function passOn(child: ChildProcess, path: string): Promise<Server> {
  const server = createServer((socket) => {
    const { stdin, stdout } = child;
    if (!stdin || !stdout) return void socket.destroy();
    // Either end may be gone before the other has said its last word.
    for (const stream of [socket, stdin, stdout]) stream.on("error", () => undefined);
    socket.pipe(stdin);
    stdout.pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return server;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGKILL");
  await ended;
}
