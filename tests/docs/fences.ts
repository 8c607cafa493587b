import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../smoke/program.ts";

/** A fenced block: "```ts run" has the language `ts` and the mark `run`. */
export type Fence = { page: string; line: number; language: string; mark: string; text: string };

/** Every page of prose, from the root on. */
export const everyPage = (): string[] =>
  [
    "README.md",
    "CONTRIBUTING.md",
    "AGENTS.md",
    "tests/bench/README.md",
    ...globSync("docs/**/*.md", { cwd: ROOT }),
  ].sort();

export const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** The fenced blocks of a page, in order. */
export function fencesOf(page: string): Fence[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    mark: match[2] ?? "",
    text: match[3] ?? "",
  }));
}
