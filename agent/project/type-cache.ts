import {
  chmodSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { GraphSpec } from "./config.ts";
import { isRecord } from "./record.ts";
import type { StateTypes } from "./state-types.ts";

/** Where what a compiler said is kept, and by which Berth: another one may read types otherwise. */
export type TypeCache = { folder: string; version: string };

/** So many versions of a project are kept, and each only if it is no larger. */
const MOST_KEPT = 8;
const LARGEST = 4 * 1_048_576;
/** A project of more sources than this is read anew at every start. */
const MOST_SOURCES = 5_000;

/** What is named by `import`, `export … from`, `import()` and `require()`; too much does no harm here. */
const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n]+)["']/g;

/**
 * What was read of this version of the project before, or else what `read` finds, kept for the next start. The name of
 * what is kept is a hash of everything that it follows from, so that what is out of date is never found.
 */
export async function keptTypes(
  { folder, version }: TypeCache,
  dir: string,
  graphs: Record<string, Partial<GraphSpec>>,
  read: () => Promise<StateTypes>,
): Promise<StateTypes> {
  const digest = () => projectDigest(dir, graphs, version).catch(() => undefined);
  const before = await digest();
  if (before === undefined) return read();
  const file = join(folder, `${before}.json`);
  const kept: unknown = await Bun.file(file)
    .json()
    .catch(() => undefined);
  if (isRecord(kept)) return kept as StateTypes;
  const types = await read();
  // Somebody may have written in the project while the compiler read it.
  if (Object.keys(types).length > 0 && (await digest()) === before) keep(folder, file, types);
  return types;
}

/** Best effort: a full disk is no reason to answer with an error. */
function keep(folder: string, file: string, types: StateTypes): void {
  const text = JSON.stringify(types);
  if (text.length > LARGEST) return;
  const fresh = `${file}.${process.pid}.new`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
    prune(folder);
  } catch {
    rmSync(fresh, { force: true });
  }
}

function prune(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const newestFirst = files
    .map((file) => ({ file, at: statSync(file).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { file } of newestFirst.slice(MOST_KEPT)) rmSync(file, { force: true });
}

/**
 * A hash over Berth, the graphs, every source that they import (also what a linked package has), the versions of the
 * packages, and the settings of the compiler. Undefined where something cannot be followed.
 */
async function projectDigest(
  dir: string,
  graphs: Record<string, Partial<GraphSpec>>,
  version: string,
): Promise<string | undefined> {
  const hash = new Bun.CryptoHasher("sha256");
  const entries = Object.entries(graphs).map(([id, { path, exportName }]) => [id, path, exportName]);
  hash.update(JSON.stringify([version, dir, entries]));
  const settings = ["tsconfig.json", "package.json"].map((name) => join(dir, name));
  const packages = ["typescript", "@langchain/langgraph", "@langchain/core"].map((name) =>
    aboutPackage(name, dir),
  );
  const paths = Object.values(graphs).flatMap(({ path }) => (path === undefined ? [] : [realpathSync(path)]));
  const seen = new Set<string>(paths);
  for (const file of [...settings, ...packages]) if (file !== undefined) seen.add(file);
  // What is added while it is walked is walked as well.
  for (const file of seen) {
    if (seen.size > MOST_SOURCES) return undefined;
    const source = Bun.file(file);
    const text = (await source.exists()) ? await source.text() : null;
    hash.update(JSON.stringify([file, text]));
    if (text === null) continue;
    const next = isSettings(file) ? extended(text, file) : imported(text, file);
    if (next === undefined) return undefined;
    for (const one of next) seen.add(one);
  }
  return hash.digest("hex");
}

const isSettings = (file: string) => file.endsWith(".json");

/** What a `tsconfig.json` builds on; other files of JSON have no such key, or one that does no harm. */
function extended(text: string, file: string): string[] | undefined {
  const names = [...text.matchAll(/"extends"\s*:\s*(?:"([^"]+)"|\[([^\]]*)\])/g)].flatMap(
    ([, one, several]) =>
      one === undefined ? [...(several ?? "").matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? "") : [one],
  );
  return resolvedAll(names, file);
}

function imported(text: string, file: string): string[] | undefined {
  const names = [...text.matchAll(SPECIFIER)].map(([, name]) => name ?? "");
  return resolvedAll(names, file)?.map((found) => packageOf(found) ?? found);
}

function resolvedAll(names: string[], file: string): string[] | undefined {
  try {
    const found = names.map((name) => Bun.resolveSync(name, dirname(file)));
    return found.filter((path) => path.startsWith("/")).map((path) => realpathSync(path));
  } catch {
    return undefined;
  }
}

/** The `package.json` of an installed package, which has its version; undefined for a source of the project's own. */
function packageOf(file: string): string | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder === undefined ? undefined : join(folder, "package.json");
}

function aboutPackage(name: string, dir: string): string | undefined {
  try {
    return Bun.resolveSync(`${name}/package.json`, dir);
  } catch {
    return undefined;
  }
}
