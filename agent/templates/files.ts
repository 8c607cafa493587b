import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What belongs to a project; an installed or used template also holds packages, a lock file and secrets. */
const PROJECT_FILE =
  /^(\.gitignore|\.env\.example|.+\.ts|graph\.json|package\.json|tsconfig\.json|README\.md)$/;

/**
 * The text of every template's files, by template and file name. Called as a macro: the bundler runs it
 * and puts the result in its place, so that a compiled binary carries the texts.
 */
export function readTemplates(): Record<string, Record<string, string>> {
  const root = import.meta.dir;
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Object.fromEntries(folders.map(({ name }) => [name, readProject(join(root, name))]));
}

function readProject(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => PROJECT_FILE.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
