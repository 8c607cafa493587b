import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Made by tools, or for one machine only; and what holds secrets, whatever the ignore files say. */
const NEVER = new Set([
  ...[".git", ".hg", ".svn", "node_modules", ".DS_Store"],
  ...["__pycache__", ".venv", "venv", ".tox", ".mypy_cache"],
  ...[".dev.vars", ".netrc"],
]);
const ENVIRONMENT = /^\.env(?:\..+)?$/;
const SAMPLE = /^\.env\.(?:example|sample|template)$/;

/** The rules of one ignore file; they hold for what is below its folder. */
type Rules = { dir: string; ignore: Ignore };

/** What of a folder stays behind: by name, and by the `.gitignore` and `.dockerignore` files on the way to it. */
export class IgnoreRules {
  readonly #chain: readonly Rules[];
  readonly #project: string;

  private constructor(chain: readonly Rules[], project: string) {
    this.#chain = chain;
    this.#project = project;
  }

  /**
   * The rules that hold in `root`; the `.gitignore` files of a repository around it count, as they do for git.
   * @param project the folder of the configuration file, at or below `root`: its `.dockerignore` counts, too
   */
  static at(root: string, project: string): IgnoreRules {
    const around = repositoryFolders(root).flatMap((dir) => gitRules(dir));
    // A project that the repository around it leaves out as a whole is none of its business.
    const isForeign = new IgnoreRules(around, project).leavesOut(root, true);
    const own = isForeign ? gitRules(root) : [...around, ...gitRules(root)];
    return new IgnoreRules([...own, ...dockerRules(root)], project);
  }

  /** The rules inside a folder below: what its own files add. */
  within(dir: string): IgnoreRules {
    const more = [...gitRules(dir), ...(dir === this.#project ? dockerRules(dir) : [])];
    return more.length === 0 ? this : new IgnoreRules([...this.#chain, ...more], this.#project);
  }

  leavesOut(path: string, isFolder: boolean): boolean {
    const name = path.slice(path.lastIndexOf(sep) + 1);
    if (NEVER.has(name) || (ENVIRONMENT.test(name) && !SAMPLE.test(name))) return true;
    let isLeftOut = false;
    for (const { dir, ignore: rules } of this.#chain) {
      const below = relative(dir, path).split(sep).join("/");
      const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
      // Of several files the one that is nearest has the last word.
      if (ignored) isLeftOut = true;
      else if (unignored) isLeftOut = false;
    }
    return isLeftOut;
  }
}

function gitRules(dir: string): Rules[] {
  return rulesOf(dir, ".gitignore", (line) => line);
}

function dockerRules(dir: string): Rules[] {
  return rulesOf(dir, ".dockerignore", anchored);
}

function rulesOf(dir: string, name: string, line: (text: string) => string): Rules[] {
  const file = join(dir, name);
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8").split("\n").map(line).join("\n");
  return [{ dir, ignore: ignore().add(text) }];
}

/** Docker's patterns always begin at the root; git's do so only with a slash. */
function anchored(line: string): string {
  const [, not = "", pattern = ""] = /^(!?)(.*)$/.exec(line.trim()) ?? [];
  return pattern === "" || pattern.startsWith("#") ? "" : `${not}/${pattern.replace(/^\.?\/+/, "")}`;
}

/** The folders from the repository's own down to the one above `root`; none where there is no repository. */
function repositoryFolders(root: string): string[] {
  const folders: string[] = [];
  for (let dir = root; !existsSync(join(dir, ".git")); dir = dirname(dir)) {
    if (dirname(dir) === dir) return [];
    folders.unshift(dirname(dir));
  }
  return folders;
}
