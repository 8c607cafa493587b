import { join } from "node:path";
import { MANIFEST } from "../../sources/index.ts";
import {
  localPathIn,
  type PackageManifest,
  type SourcePackage,
  type WorkspaceMember,
  type WorkspaceMembers,
} from "./member-packages.ts";
import { BuildFailed } from "./order.ts";
import { textInside } from "./source-files.ts";
import { isRecord } from "./source-json.ts";

type Workspace = {
  /** Its folder and its `package.json`. */
  top: SourcePackage;
  members: WorkspaceMembers;
};

/** The groups for which `bun install` asks the registry. It does not for the peers of a member. */
const INSTALLED_KINDS = ["dependencies", "devDependencies", "optionalDependencies"];

/**
 * Refuses a dependency on a member of the workspace that `bun install` would take from the registry, where a stranger
 * may have published a package of that name. Bun does so without an error: for a range that the member's version does
 * not satisfy, for a tag such as `latest`, for an override, and where linking members is turned off.
 * @throws BuildFailed
 */
export async function refuseIndexMembers(root: string, { top, members }: Workspace): Promise<void> {
  if (members.size === 0) return;
  refuseOverrides(top, members);
  const unlinked = await unlinkingFile(root, top.folder);
  for (const user of [top, ...members.values()])
    for (const [name, specifier] of installedBy(user.manifest)) {
      const member = members.get(name);
      if (member === undefined || isNeverOfIndex(name, specifier)) continue;
      const reason = unlinked
        ? `${unlinked} turns off the linking of members`
        : faultOf(member, rangeIn(name, specifier, top.manifest));
      if (reason === undefined) continue;
      throw new BuildFailed(
        `${join(user.folder, MANIFEST)}: "${name}" is a member of the workspace (${member.folder}), but "${specifier.slice(0, MAX_SHOWN_CHARS)}" would install a package of that name from the registry, because ${reason}. Write "workspace:*"`,
      );
    }
}

const MAX_SHOWN_CHARS = 100;

function installedBy(manifest: PackageManifest): [name: string, specifier: string][] {
  return INSTALLED_KINDS.flatMap((kind) =>
    Object.entries(isRecord(manifest[kind]) ? manifest[kind] : {}),
  ).filter((entry): entry is [string, string] => typeof entry[1] === "string");
}

/** Whether a specifier names a member, a folder, a URL, a repository or a package of another name. */
function isNeverOfIndex(name: string, specifier: string): boolean {
  const alias = /^npm:(@?[^@]+)/.exec(specifier)?.[1];
  if (alias !== undefined) return alias !== name;
  return (
    /^workspace:|^[\w+]+:\/\/|^(?:git|github|gitlab|bitbucket):|^git@/.test(specifier) ||
    localPathIn(specifier) !== undefined
  );
}

/** Why Bun does not link the member; undefined where it does. */
function faultOf(
  { manifest: { version }, isListed }: WorkspaceMember,
  range: string | undefined,
): string | undefined {
  if (!isListed) return `only ${MANIFEST} says which members Bun links, and it does not list this one`;
  if (range === undefined) return "it is no range of versions";
  if (range === "*") return undefined;
  if (typeof version !== "string") return "the member has no version";
  return Bun.semver.satisfies(version, range) ? undefined : `the member's version is ${version}`;
}

const VERSION = String.raw`(?:[~^]|[<>]=?|=)?\s*v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[\w.-]+)?(?:\+[\w.-]+)?`;
// `Bun.semver.satisfies` is true for a text that is no range.
const RANGE = new RegExp(String.raw`^${VERSION}(?:\s*\|\|\s*${VERSION}|\s+-\s+${VERSION}|\s+${VERSION})*$`);
const MAX_RANGE_CHARS = 200;

/** The range of versions that a specifier, or the catalog that it names, says. */
function rangeIn(name: string, specifier: string, top: PackageManifest): string | undefined {
  const text = specifier.startsWith("catalog:") ? inCatalog(name, specifier.slice(8).trim(), top) : specifier;
  const range = /^npm:@?[^@]+$/.test(text) ? "*" : text.replace(/^npm:@?[^@]+@/, "");
  return range.length <= MAX_RANGE_CHARS && RANGE.test(range) ? range : undefined;
}

function inCatalog(name: string, group: string, top: PackageManifest): string {
  for (const { catalog, catalogs } of [top, isRecord(top.workspaces) ? top.workspaces : {}]) {
    const found = group === "" ? catalog : isRecord(catalogs) ? catalogs[group] : undefined;
    if (isRecord(found) && typeof found[name] === "string") return found[name];
  }
  return "";
}

/** @throws BuildFailed an override replaces a member by a package of the registry */
function refuseOverrides({ folder, manifest }: SourcePackage, members: WorkspaceMembers): void {
  for (const kind of ["overrides", "resolutions"])
    for (const [key, value] of overridesIn(manifest[kind])) {
      const name = nameIn(key);
      if (!members.has(name) || isNeverOfIndex(name, value)) continue;
      throw new BuildFailed(
        `${join(folder, MANIFEST)}: ${kind} would replace "${name}", a member of the workspace, by a package of the registry. Take it out of ${kind}`,
      );
    }
}

/** npm nests overrides, at any depth. */
const MAX_OVERRIDE_DEPTH = 20;

function overridesIn(value: unknown, depth = 0): [key: string, value: string][] {
  if (!isRecord(value) || depth > MAX_OVERRIDE_DEPTH) return [];
  return Object.entries(value).flatMap(([key, one]): [string, string][] =>
    typeof one === "string" ? [[key, one]] : overridesIn(one, depth + 1),
  );
}

/** `@scope/name` in `a/**\/@scope/name@^1`. */
const nameIn = (key: string): string => /(?:@[^/@]+\/)?[^/@]+(?=(?:@[^/]*)?$)/.exec(key)?.[0] ?? key;

/** The file of a workspace that has Bun install members from the registry. */
async function unlinkingFile(root: string, folder: string): Promise<string | undefined> {
  for (const [name, setting] of UNLINKING) {
    const path = join(folder, name);
    if (setting.test((await textInside(root, path)) ?? "")) return path;
  }
  return undefined;
}

const UNLINKING: [file: string, setting: RegExp][] = [
  [".npmrc", /^\s*link-workspace-packages\s*=(?!\s*["']?(?:true|deep)\b)/m],
  ["bunfig.toml", /linkWorkspacePackages["']?\s*=(?!\s*true\b)/],
];
