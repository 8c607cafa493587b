import { copyFileSync, linkSync } from "node:fs";
import { join } from "node:path";
import { COMPILED, ROOT, run } from "./program.ts";

/** Puts the executable at a path: compiled once in a run of all tests, else now. Throws when it does not compile. */
export async function putExecutable(path: string): Promise<void> {
  const compiled = process.env[COMPILED];
  if (compiled) return linked(compiled, path);
  await compile(path);
}

export async function compile(path: string): Promise<void> {
  const { code, err } = await run([process.execPath, join(ROOT, "server", "build.ts"), path], ROOT);
  if (code !== 0) throw new Error(`the executable does not compile:\n${err}`);
}

function linked(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Another file system.
    copyFileSync(from, to);
  }
}
