import { join } from "node:path";
import { BuildFailed } from "./order.ts";
import {
  normalizedName,
  PYPROJECT,
  type PythonPackage,
  readPythonPackage,
  texts,
  type UvWorkspace,
} from "./python-package.ts";
import { textInside } from "./source-files.ts";
import { isRecord } from "./source-json.ts";
import { pathInSource } from "./source-paths.ts";

/** What a package needs: packages of the index, and those of the source. */
export type Needed = {
  requirements: string[];
  /** Folders and files of the source, relative to the root, with extras: `libs/shared[fast]`. */
  locals: string[];
  /** Texts of the files that were read for it. */
  texts: string[];
  /** Why only its lock file can be followed; null where it need not be. */
  needsLock: string | null;
};

type Visit = { folder: string; extras: string[]; isInstalled: boolean };

/**
 * Finds what a package needs, with all that the packages of the source among them need. `tool.uv.sources` and the
 * members of its workspace are followed, so that pip never looks for these names in an index, where a stranger may
 * have published them.
 */
export class Requirements {
  readonly #needed: Needed = { requirements: [], locals: [], texts: [], needsLock: null };
  readonly #seen = new Map<string, Set<string>>();
  readonly #installed = new Set<string>();
  readonly #queue: Visit[] = [];

  private constructor(
    private readonly root: string,
    private readonly workspace: UvWorkspace | undefined,
  ) {}

  /**
   * @param isInstalled whether the package itself is installed as well
   * @throws BuildFailed
   */
  static async of(
    root: string,
    start: PythonPackage,
    workspace: UvWorkspace | undefined,
    isInstalled: boolean,
  ): Promise<Needed> {
    const found = new Requirements(root, workspace);
    const isDynamic = start.dependencies === undefined;
    found.#queue.push({ folder: start.folder, extras: [], isInstalled: isInstalled || isDynamic });
    for (let next = found.#queue.shift(); next; next = found.#queue.shift()) await found.#visit(next);
    return found.#needed;
  }

  async #visit({ folder, extras, isInstalled }: Visit): Promise<void> {
    if (isInstalled) this.#install(folder);
    const seen = this.#seen.get(folder);
    const added = extras.filter((extra) => !seen?.has(extra));
    if (seen && added.length === 0) return;
    this.#seen.set(folder, new Set([...(seen ?? []), ...extras]));
    const found = await readPythonPackage(this.root, folder);
    // With a setup.py only, the package itself says what it needs.
    if (!found) return;
    if (!seen) this.#needed.texts.push(found.text);
    this.#refuseBuildMembers(found);
    for (const extra of added)
      for (const one of texts(found.optional[extra])) await this.#require(found, one);
    if (seen) return;
    if (found.dependencies === undefined) return this.#requireAllOf(found);
    for (const one of found.dependencies) await this.#require(found, one);
  }

  #install(folder: string): void {
    if (this.#installed.has(folder)) return;
    this.#installed.add(folder);
    this.#needed.locals.push(folder === "" ? "." : folder);
  }

  /** pip and uv build a package in an environment of its own, which they fill from an index. */
  #refuseBuildMembers({ folder, buildRequires }: PythonPackage): void {
    if (!this.#installed.has(folder)) return;
    const name = buildRequires.find((one) => this.workspace?.members.has(requirementIn(one).name ?? ""));
    if (name !== undefined)
      throw new BuildFailed(
        `${join(folder, PYPROJECT)}: build-system.requires names "${name}", a member of the uv workspace, which would come from an index: build with packages of an index only`,
      );
  }

  /** What a package needs that says so by its own code only: at most all that the source has for it. */
  async #requireAllOf(found: PythonPackage): Promise<void> {
    for (const name of this.workspace?.members.keys() ?? []) this.#member(name, []);
    for (const [name, source] of Object.entries(found.sources))
      if (isRecord(source) && typeof source.path === "string") await this.#require(found, name);
  }

  async #require(of: PythonPackage, text: string): Promise<void> {
    const where = join(of.folder, PYPROJECT);
    const { name, extras, marker } = requirementIn(text);
    if (name !== undefined && this.#member(name, extras)) return;
    const own = name === undefined ? undefined : of.sources[name];
    const inherited = name === undefined ? undefined : this.workspace?.top.sources[name];
    const source = own ?? inherited;
    if (source === undefined) {
      refuseOutside(of.folder, text, where);
      this.#needed.requirements.push(text);
      return;
    }
    const base = own === undefined ? (this.workspace?.top.folder ?? "") : of.folder;
    const listed = extras.length === 0 ? "" : `[${extras.join(",")}]`;
    await this.#fromSource({ source, base, where, name: `${name}${listed}`, marker }, extras);
  }

  async #fromSource({ source: given, base, where, name, marker }: Sourced, extras: string[]): Promise<void> {
    const source = Array.isArray(given) && given.length === 1 ? given[0] : given;
    const { path, git, url, workspace } = isRecord(source) ? source : {};
    if (workspace === true) throw new BuildFailed(`${where}: "${name}" is no member of the uv workspace`);
    if (typeof path === "string") {
      const inside = pathInSource(base, path, `${where}: tool.uv.sources`);
      if (/\.(?:whl|zip|tar\.gz)$/.test(inside)) this.#needed.locals.push(inside);
      else this.#queue.push({ folder: inside, extras, isInstalled: true });
    } else if (typeof git === "string" && isRecord(source))
      this.#needed.requirements.push(`${name} @ git+${git}${referenceIn(source)}${marker}`);
    else if (typeof url === "string") this.#needed.requirements.push(`${name} @ ${url}${marker}`);
    else this.#needed.needsLock ??= `${where}: tool.uv.sources says where "${name}" comes from`;
  }

  /** Whether a name is a member of the workspace, which then is installed from its folder. */
  #member(name: string, extras: string[]): boolean {
    const member = this.workspace?.members.get(name);
    if (!member) return false;
    const isVirtual = !member.isPackage && member.folder === this.workspace?.top.folder;
    this.#queue.push({ folder: member.folder, extras, isInstalled: !isVirtual });
    return true;
  }
}

type Sourced = { source: unknown; base: string; where: string; name: string; marker: string };

/** The commit, tag or branch of a repository, and the folder in it. */
function referenceIn({ rev, tag, branch, subdirectory }: Record<string, unknown>): string {
  const reference = [rev, tag, branch].find((one) => typeof one === "string");
  return `${reference === undefined ? "" : `@${reference}`}${typeof subdirectory === "string" ? `#subdirectory=${subdirectory}` : ""}`;
}

type Requirement = { name: string | undefined; extras: string[]; marker: string };

/** The name of a requirement (PEP 508), normalized, with its extras and its marker. */
export function requirementIn(text: string): Requirement {
  const [, name, extras = ""] =
    /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?/.exec(text) ?? [];
  const marker = /;.*$/s.exec(text)?.[0] ?? "";
  return {
    name: name === undefined ? undefined : normalizedName(name),
    extras: extras
      .split(",")
      .map((extra) => extra.trim())
      .filter(Boolean),
    marker: marker === "" ? "" : ` ${marker}`,
  };
}

/**
 * Refuses a requirement that names a folder or file outside of the source.
 * @throws BuildFailed
 */
export function refuseOutside(folder: string, text: string, where: string): void {
  const path = /(?:^|[@\s=])file:(?:\/\/)?([^\s;]+)/i.exec(text)?.[1] ?? /^\s*(\/[^\s;]*)/.exec(text)?.[1];
  if (path !== undefined) pathInSource(folder, path, where);
}

const MAX_INCLUDED_FILES = 20;

/**
 * Refuses a list of requirements that names a member of the workspace: pip would take it from an index.
 * @param path of the list, relative to the root
 * @throws BuildFailed
 */
export async function refuseListedMembers(root: string, path: string, workspace: UvWorkspace): Promise<void> {
  const queue = [path];
  for (const [at, list] of queue.entries()) {
    if (at > MAX_INCLUDED_FILES)
      throw new BuildFailed(`${path} includes more than ${MAX_INCLUDED_FILES} files`);
    const text = (await textInside(root, list)) ?? "";
    for (const line of text.split("\n")) {
      const included = /^\s*(?:-r|--requirement)[\s=]*(\S+)/.exec(line)?.[1];
      if (included !== undefined) queue.push(pathInSource(join(list, ".."), included, list));
      const { name } = requirementIn(line);
      const member = name === undefined ? undefined : workspace.members.get(name);
      if (!member || /@|^\s*[.\w-]+\//.test(line.split("#")[0] ?? "")) continue;
      throw new BuildFailed(
        `${list}: "${name}" is a member of the uv workspace (${member.folder}), and a list would take it from an index: leave it out here, or name its folder`,
      );
    }
  }
}
