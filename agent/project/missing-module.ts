import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../record.ts";
import { ProjectError } from "./project-error.ts";

/** A module of a project imports what is not there. */
export class MissingModule extends ProjectError {
  /** The same for somebody whose project was built on a server: what to change before the next deployment. */
  readonly onServer: string;

  constructor(what: string, { found, here, onServer }: Explanation, options?: ErrorOptions) {
    super(`${what}: ${found}. ${here}`, options);
    this.onServer = `${what}: ${found}. ${onServer}`;
  }
}

/** What was found instead, and what to do about it on the project's own machine, and after a build on a server. */
type Explanation = { found: string; here: string; onServer: string };

/** Explains why an import found nothing; undefined for other failures, and where the error says it itself. */
export function explainMissing(error: unknown): Explanation | undefined {
  if (!isRecord(error)) return undefined;
  const { specifier, referrer, code } = error;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  if (typeof specifier !== "string" || typeof referrer !== "string") return undefined;
  const [, name, rest = ""] = /^(@[^/]+\/[^/]+|[^./#@][^/]*)(\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined || /^[a-z]+:/.test(name)) return undefined;
  const installed = above(dirname(referrer), (folder) => join(folder, "node_modules", name));
  const wanted = { name, subpath: `.${rest}`, specifier, importer: referrer };
  return installed === undefined ? notInstalled(wanted) : notInside(wanted, realpathSync(installed));
}

type Wanted = { name: string; subpath: string; specifier: string; importer: string };

function notInstalled({ name, importer }: Wanted): Explanation {
  const found = `${importer} imports the package "${name}", which is not installed`;
  // What a package of others needs is the installation's business.
  const own = importer.replace(/\/node_modules\/.*$/s, "/x");
  const file = above(dirname(own), (folder) => join(folder, "package.json"));
  if (file === undefined) {
    const here = `There is no package.json: make one with "bun add ${name}" or "npm install ${name}"`;
    return { found, here, onServer: `Add a package.json that names "${name}" in its dependencies` };
  }
  const folder = dirname(file);
  if (own !== importer || names(manifestOf(folder), name))
    return {
      found,
      here: `Run "bun install" or "npm install" in ${folder}`,
      onServer: `${file} asks for it, but the installation did not bring it: the build log says what it did`,
    };
  return {
    found,
    here: `${file} does not name it: run "bun add ${name}" or "npm install ${name}" in ${folder}`,
    onServer: `Add it to the dependencies in ${file}`,
  };
}

/** The package is there, what is imported of it is not. */
function notInside({ name, subpath, specifier, importer }: Wanted, folder: string): Explanation | undefined {
  const manifest = manifestOf(folder);
  const target = targetOf(manifest, subpath);
  const called = `${name}${typeof manifest.version === "string" ? ` ${manifest.version}` : ""}`;
  if (target === undefined) {
    const keys = isRecord(manifest.exports)
      ? Object.keys(manifest.exports).filter((key) => key[0] === ".")
      : [];
    const has = keys.length > 0 && keys.length <= 12 ? ` (it exports ${keys.join(", ")})` : "";
    const advice = `Import something that it exports, or take a version that exports "${subpath}"`;
    return {
      found: `${importer} imports "${specifier}", which the installed ${called} does not export${has}`,
      here: advice,
      onServer: advice,
    };
  }
  if (existsSync(join(folder, target))) return undefined;
  const missing = `${importer} imports "${specifier}", but ${join(folder, target)} is not there`;
  if (folder.includes("/node_modules/")) {
    const advice = `The installed ${called} is not complete: install it anew, or take another version`;
    return { found: missing, here: advice, onServer: advice };
  }
  const builds = isRecord(manifest.scripts) && typeof manifest.scripts.build === "string";
  const unbuilt = `The package ${name} is not built`;
  return {
    found: missing,
    here: `${unbuilt}: run ${builds ? `"bun run build" or "npm run build"` : "what builds it"} in ${folder}`,
    onServer: builds
      ? `${unbuilt}: let its build script write that file, or name the command that does with --build-command`
      : `${unbuilt}, and it has no build script: give it one in ${folder}/package.json, or name the command with --build-command`,
  };
}

/** The file that a package's manifest names for one of its paths; undefined where it lets nobody import that. */
export function targetOf(manifest: Record<string, unknown>, subpath: string): string | undefined {
  const { exports } = manifest;
  if (exports === undefined || exports === null) {
    if (subpath !== ".") return subpath;
    const main = [manifest.module, manifest.main].find((value) => typeof value === "string");
    return typeof main === "string" ? main : "index.js";
  }
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  if (!isMap) return subpath === "." ? fileOf(exports) : undefined;
  if (subpath in exports) return fileOf(exports[subpath]);
  for (const [key, value] of Object.entries(exports)) {
    const [before = "", after] = key.split("*");
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    return fileOf(value)?.replaceAll("*", subpath.slice(before.length, subpath.length - after.length));
  }
  return undefined;
}

/** The files that a manifest promises to whoever imports the package, without those of patterns. */
export function packageFiles(manifest: Record<string, unknown>): string[] {
  const { exports, main, module } = manifest;
  if (exports === undefined && main === undefined && module === undefined) return [];
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  const paths = isMap ? Object.keys(exports).filter((key) => !key.includes("*")) : ["."];
  return paths.map((path) => targetOf(manifest, path)).filter((file) => file !== undefined);
}

/** The first condition that this runtime has. */
function fileOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(fileOf).find((file) => file !== undefined);
  if (!isRecord(value)) return undefined;
  const conditions = new Set(["bun", "node", "import", "module", "require", "default"]);
  for (const [condition, inner] of Object.entries(value)) {
    const file = conditions.has(condition) ? fileOf(inner) : undefined;
    if (file !== undefined) return file;
  }
  return undefined;
}

const names = (manifest: Record<string, unknown>, name: string): boolean =>
  ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].some((kind) => {
    const named = manifest[kind];
    return isRecord(named) && name in named;
  });

function manifestOf(folder: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isRecord(manifest) ? manifest : {};
  } catch {
    return {};
  }
}

/** What is there in the nearest of a folder and those above it. */
function above(folder: string, path: (folder: string) => string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(path(at))) return path(at);
    if (dirname(at) === at) return undefined;
  }
}
