import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROJECT = join(import.meta.dir, "project");
const INSTALL_LIMIT_MS = 300_000;

/** A LangGraph with a core, a saver and a zod of its time; a langchain, where one is built on it. */
export type Versions = {
  langgraph: string;
  core: string;
  checkpoint: string;
  zod: string;
  langchain: string | undefined;
};

const of = (
  langgraph: string,
  core: string,
  checkpoint: string,
  { zod = "3.25.76", langchain }: { zod?: string; langchain?: string } = {},
): Versions => ({ langgraph, core, checkpoint, zod, langchain });

/** What is tried, oldest first; the newest is Berth's own. `docs/compatibility.md` lists the same. */
export const TABLE: readonly Versions[] = [
  of("0.2.2", "0.2.36", "0.0.18"),
  of("0.2.11", "0.3.9", "0.0.18"),
  of("0.2.19", "0.3.16", "0.0.18"),
  of("0.2.41", "0.3.40", "0.0.18"),
  of("0.2.57", "0.3.40", "0.0.18"),
  of("0.2.74", "0.3.57", "0.0.18"),
  of("0.3.0", "0.3.57", "0.0.18"),
  of("0.3.5", "0.3.58", "0.0.18"),
  of("0.3.12", "0.3.66", "0.0.18"),
  of("0.4.9", "0.3.78", "0.1.3"),
  of("1.0.6", "1.2.2", "1.2.2", { langchain: "1.0.6" }),
];

/** What is run each time; the others are in the long run. */
export const SHORT = ["0.2.41"];

const order = (version: string, other: string) => Bun.semver.order(version, other);

/** What a version has, so that a test of what it lacks is left out and not failed. */
export const has = {
  interrupts: (version: string) => order(version, "0.2.31") >= 0,
  /** Earlier ones run sent tasks through a breakpoint, on their own, too. */
  breakpointsAtSends: (version: string) => order(version, "0.2.31") >= 0,
  tokens: (version: string) => order(version, "0.2.20") >= 0,
  /** State and configuration in zod: of those that are tried, from here on. */
  zodState: (version: string) => order(version, "0.2.74") >= 0,
  createAgent: (version: string) => order(version, "1.0.0") >= 0,
};

/** The files of the project that say what not every version has. */
const FILES = { "./asking.ts": has.interrupts, "./zod.ts": has.zodState, "./created.ts": has.createAgent };

/** Copies the project into a folder of its own and installs these versions there. */
export async function installed(versions: Versions): Promise<string> {
  const { langgraph, core, checkpoint, zod, langchain } = versions;
  const folder = mkdtempSync(join(tmpdir(), "berth-versions-"));
  cpSync(PROJECT, folder, { recursive: true });
  const dependencies = {
    "@langchain/core": core,
    "@langchain/langgraph": langgraph,
    "@langchain/langgraph-checkpoint": checkpoint,
    zod,
    ...(langchain && { langchain }),
  };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies, overrides: dependencies }),
  );
  writeFileSync(join(folder, "graph.json"), graphsOf(folder, langgraph));
  const child = Bun.spawn([process.execPath, "install"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: INSTALL_LIMIT_MS,
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`LangGraph ${langgraph} cannot be installed:\n${out}${err}`);
  return folder;
}

function graphsOf(folder: string, version: string): string {
  const { graphs } = require(join(folder, "graph.json")) as { graphs: Record<string, string> };
  const lacking = Object.entries(FILES).flatMap(([file, hasIt]) => (hasIt(version) ? [] : [file]));
  const kept = Object.entries(graphs).filter(([, path]) => !lacking.includes(path.split(":")[0] ?? ""));
  return JSON.stringify({ graphs: Object.fromEntries(kept) });
}
