import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What belongs to a project; an installed or used template also holds packages, a lock file and secrets. */
const PROJECT_FILE =
  /^(\.gitignore|\.env\.example|.+\.(?:ts|py)|graph\.json|package\.json|requirements\.txt|tsconfig\.json|README\.md)$/;
/** What each project gets a copy of, beside the files of its own template; those in Python get others. */
const EVERY_PROJECT = "every-project";
const EVERY_PYTHON_PROJECT = "every-python-project";

/**
 * The text of every template's files, by template and file name, as a project has them. Called as a macro: the bundler
 * runs it and puts the result in its place, so that a compiled binary carries the texts.
 */
export function readTemplates(): Record<string, Record<string, string>> {
  const root = import.meta.dir;
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const every = readFolder(join(root, EVERY_PROJECT));
  const everyPython = readFolder(join(root, EVERY_PYTHON_PROJECT));
  const names = folders.map(({ name }) => name).filter((name) => !name.startsWith("every-"));
  const shared = (name: string) => (name.startsWith("python-") ? everyPython : every);
  return Object.fromEntries(
    names.map((name) => [name, { ...shared(name), ...readFolder(join(root, name)) }]),
  );
}

function readFolder(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => PROJECT_FILE.test(name));
  const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
  // In a project they lie side by side.
  return Object.fromEntries(
    names.sort().map((name) => [name, textOf(name).replaceAll(`"../${EVERY_PROJECT}/`, '"./')]),
  );
}
