import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const OWN = [".venv/bin/python", ".venv/Scripts/python.exe", "venv/bin/python"];
const NAMES = ["python3", "python"];
/** A workspace keeps one environment for all its projects, some folders up. */
const MOST_UP = 4;

/**
 * The Python that a project is run with: its own environment where it has one, else the one that is named, else what
 * the machine has. Undefined where there is none.
 * @param named of the setting `PYTHON`
 */
export function pythonOf(folder: string, named?: string): string | undefined {
  let at = folder;
  for (let up = 0; up < MOST_UP; up += 1) {
    const own = OWN.map((path) => join(at, path)).find((path) => existsSync(path));
    if (own) return own;
    if (dirname(at) === at) break;
    at = dirname(at);
  }
  if (named) return named;
  for (const name of NAMES) {
    const found = Bun.which(name);
    if (found) return found;
  }
  return undefined;
}
