import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { create } from "tar";
import type { PythonFolders } from "../../control/index.ts";
import { isMember, memberGlobs, PNPM_WORKSPACE } from "../../sources/index.ts";
import { type Fields, isFields } from "./answer.ts";
import { DeployFailure } from "./failure.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import type { LocalProject } from "./project.ts";

export type Archive = {
  bytes: number;
  files: number;
  /** Where the configuration file is inside. */
  configPath: string;
  /** What is in it or was left out although nobody asked for that, as lines to tell. */
  notes: string[];
  warning: string | null;
};

/** The server takes no more: the same numbers as at its door, told before the way there. */
export const MOST_BYTES = 209_715_200;
const WARN_BYTES = 50 * 2 ** 20;
const MOST_ENTRIES = 50_000;

/**
 * Packs a project into `file` (tar.gz). The same files give the same bytes, whoever packs them and when.
 * @param secretsFile is never packed, whatever it is called
 * @throws DeployFailure when it is too large, or its configuration file would not be in it
 */
export async function packProject(
  project: LocalProject,
  secretsFile: string | null,
  file: string,
): Promise<Archive> {
  const place = await archiveRoot(project);
  const found = new Found(place, project.dir, secretsFile);
  const configPath = inArchive(place, project.file);
  const paths = found.paths.sort();
  if (!paths.includes(configPath))
    throw new DeployFailure(
      `${project.file} would not be in the archive: a .gitignore or .dockerignore leaves it out, or it is a link`,
    );
  if (paths.length > MOST_ENTRIES)
    throw new DeployFailure(
      `the project has ${paths.length} files, and the server accepts at most ${MOST_ENTRIES}: leave some out with a .gitignore or .dockerignore`,
    );
  // A path that begins with "@" would be read as the name of an archive to put in.
  const entries = paths.map((path) => (path.startsWith("@") ? `./${path}` : path));
  await create(
    {
      cwd: place.root,
      file,
      gzip: true,
      portable: true,
      mtime: new Date(0),
      noDirRecurse: true,
      linkCache: new NoLinks(),
    },
    entries,
  );
  const bytes = statSync(file).size;
  if (bytes > MOST_BYTES)
    throw new DeployFailure(
      `the archive has ${megabytes(bytes)} MB, and the server accepts at most 200 MB: leave files out with a .gitignore or .dockerignore`,
    );
  const notes = [...workspaceNote(place), ...found.notes()];
  return { bytes, files: paths.length, configPath, notes, warning: warningOf(bytes) };
}

function workspaceNote({ workspace, member }: ArchiveRoot): string[] {
  return workspace === undefined || member === undefined
    ? []
    : [`With the whole workspace ${workspace}: ${basename(member)} is a member of it`];
}

function warningOf(bytes: number): string | null {
  if (bytes <= WARN_BYTES) return null;
  return `the archive is large (${megabytes(bytes)} MB): a .gitignore or .dockerignore can leave files out`;
}

/** `0.1`, as uploads are told; what is smaller still says that there is something. */
export function megabytes(bytes: number): string {
  return Math.max(0.1, bytes / 2 ** 20).toFixed(1);
}

/** A file with two names is packed twice: the server takes no links. */
class NoLinks<Key, Value> extends Map<Key, Value> {
  override get(): undefined {
    return undefined;
  }
}

/** The files of a project, with what was found on the way and not taken. */
class Found {
  readonly paths: string[] = [];
  readonly #place: ArchiveRoot;
  readonly #secretsFile: string | null;
  readonly #links: string[] = [];
  readonly #special: string[] = [];
  readonly #data: string[] = [];

  constructor(place: ArchiveRoot, projectDir: string, secretsFile: string | null) {
    this.#place = place;
    this.#secretsFile = secretsFile;
    const rules = IgnoreRules.at(place.root, projectDir);
    for (const folder of place.folders) this.#walk(folder, rulesAlong(rules, place.root, folder));
  }

  notes(): string[] {
    return [
      ...told(this.#links, "link", "links are not deployed"),
      ...told(this.#special, "special file", "only files and folders are deployed"),
      ...told(this.#data, "folder", "it is the data of a Berth"),
    ];
  }

  #walk(folder: string, rules: IgnoreRules): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (path === this.#secretsFile || rules.leavesOut(path, entry.isDirectory())) continue;
      const name = inArchive(this.#place, path);
      if (entry.isSymbolicLink()) this.#links.push(name);
      else if (entry.isFile()) this.paths.push(name);
      else if (!entry.isDirectory()) this.#special.push(name);
      // `berth dev` keeps its threads in the project's folder: nothing that a deployment should begin with.
      else if (existsSync(join(path, "berth.db"))) this.#data.push(name);
      else this.#walk(path, rules.within(path));
    }
  }
}

/** The rules of the folders between the root and one that is packed, and of that one itself. */
function rulesAlong(rules: IgnoreRules, root: string, folder: string): IgnoreRules {
  const parts = inArchive({ root }, folder).split("/").filter(Boolean);
  let along = rules;
  parts.forEach((_, index) => {
    along = along.within(join(root, ...parts.slice(0, index + 1)));
  });
  return along;
}

function told(paths: string[], what: string, why: string): string[] {
  if (paths.length === 0) return [];
  const shown = paths.sort().slice(0, 3).join(", ");
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return [`Left out the ${what}${paths.length === 1 ? "" : "s"} ${shown}${more}: ${why}`];
}

/** What is packed. */
type ArchiveRoot = {
  root: string;
  /** Absolute ones at or below the root. */
  folders: string[];
  /** The one among them that is a workspace, and the member of it because of which it is packed. */
  workspace: string | undefined;
  member: string | undefined;
};

/**
 * The folder that holds all that a project needs of this machine. Beside its own folder these are the local
 * ones among its dependencies, and the workspace that it or one of those is a member of: that is installed as a whole, by its
 * lock file.
 */
async function archiveRoot({ dir, config }: LocalProject): Promise<ArchiveRoot> {
  const named = Array.isArray(config.dependencies) ? config.dependencies.filter(isLocalPath) : [];
  const own = [dir, ...named.map((path) => resolve(dir, path))].filter(isFolder);
  const folders = own.flatMap((folder) => [folder, ...packagePaths(folder).filter(isFolder)]);
  // Where the configuration lies beside the package that it names, that one is the member.
  const packageMember = own.find((folder) => workspaceOf(folder) !== undefined);
  const python = await pythonFoldersOf(own, config);
  const member =
    packageMember ?? (python.workspace === undefined || python.workspace === dir ? undefined : dir);
  const workspace = (packageMember && workspaceOf(packageMember)) ?? python.workspace;
  for (const one of [workspace, python.workspace, ...python.locals])
    if (one !== undefined && existsSync(one)) folders.push(isFolder(one) ? one : dirname(one));
  const root = folders.reduce(commonFolder);
  // A folder inside another one is packed with it.
  const outer = folders.filter((folder) => !folders.some((other) => isBelow(folder, other)));
  return { root, folders: [...new Set(outer)].sort(), workspace, member };
}

/** The rules of the server's build, which loads much: only for a project in Python. */
async function pythonFoldersOf([dir = ".", ...named]: string[], config: Fields): Promise<PythonFolders> {
  const { pythonParts } = await import("@berth/agent");
  if (pythonParts(config).length === 0) return { workspace: undefined, locals: [] };
  const { pythonFolders } = await import("../../control/index.ts");
  return pythonFolders(dir, named, config);
}

function isLocalPath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(".");
}

/** The folders that a package.json names as dependencies. */
function packagePaths(dir: string): string[] {
  const manifest = manifestOf(dir);
  const specifiers = ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
    Object.values(isFields(manifest?.[kind]) ? manifest[kind] : {}).filter(
      (value) => typeof value === "string",
    ),
  );
  const local = specifiers.flatMap((specifier) => /^(?:file|link):(.+)$/.exec(specifier)?.[1] ?? []);
  // A packed dependency (`file:./x.tgz`) is a file inside the project and comes along by itself.
  return local.map((path) => resolve(dir, path));
}

function manifestOf(dir: string) {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    return isFields(manifest) ? manifest : undefined;
  } catch {
    // Without one, or with a broken one: the server says so with the reason.
    return undefined;
  }
}

/** The nearest folder above that takes this one into its workspace. */
function workspaceOf(dir: string): string | undefined {
  if (manifestOf(dir) === undefined) return undefined;
  for (let folder = dirname(dir); dirname(folder) !== folder; folder = dirname(folder)) {
    const pnpmFile = join(folder, PNPM_WORKSPACE);
    const pnpmText = existsSync(pnpmFile) ? readFileSync(pnpmFile, "utf8") : undefined;
    const member = inArchive({ root: folder }, dir);
    if (isMember(memberGlobs(manifestOf(folder), pnpmText), member)) return folder;
  }
  return undefined;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isBelow(folder: string, other: string): boolean {
  return folder !== other && folder.startsWith(other.endsWith(sep) ? other : other + sep);
}

function commonFolder(a: string, b: string): string {
  let folder = a;
  while (folder !== b && !isBelow(b, folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** A path inside the archive. */
function inArchive({ root }: Pick<ArchiveRoot, "root">, path: string): string {
  return relative(root, path).split(sep).join("/");
}

/** A folder that is gone when its scope ends, or with the process where that ends first. */
export class TemporaryFolder implements Disposable {
  readonly path: string;
  readonly #remove = () => rmSync(this.path, { recursive: true, force: true });

  constructor(prefix: string) {
    this.path = mkdtempSync(join(tmpdir(), prefix));
    process.on("exit", this.#remove);
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#remove);
    this.#remove();
  }
}
