import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The program that asks TypeScript 5 and 6, as texts by file name. Called as a macro, so that a compiled binary
 * carries them.
 */
export function readCompilerTexts(): Record<string, string> {
  const names = ["older-compiler.ts", "type-schema.ts"];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(import.meta.dir, name), "utf8")]));
}
