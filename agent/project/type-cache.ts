import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../record.ts";
import type { GraphSpec } from "./config.ts";
import { sourcesOf } from "./sources.ts";
import { NO_TYPES, type ProjectTypes } from "./state-types.ts";

/** Where what a compiler said is kept, and by which Berth: another one may read types otherwise. */
export type TypeCache = { folder: string; version: string };

/** So many versions of a project are kept, and each only if it is no larger. */
const MOST_KEPT = 8;
const LARGEST = 4 * 1_048_576;
/** Counts up when what is kept changes its shape. */
const FORMAT = 3;

/**
 * What was read of this version of the project before, or else what `read` finds, kept for the next start. The name of
 * what is kept is a hash of everything that it follows from, so that what is out of date is never found.
 */
export async function keptTypes(
  { folder, version }: TypeCache,
  dir: string,
  graphs: Record<string, Partial<GraphSpec>>,
  read: () => Promise<ProjectTypes>,
): Promise<ProjectTypes> {
  const digest = () => projectDigest(dir, graphs, version).catch(() => undefined);
  const before = await digest();
  if (before === undefined) return read();
  const file = join(folder, `${before}.json`);
  const kept: unknown = await Bun.file(file)
    .json()
    .catch(() => undefined);
  if (isRecord(kept)) return { ...NO_TYPES, ...kept };
  const types = await read();
  // Somebody may have written in the project while the compiler read it.
  if (Object.keys(types.graphs).length > 0 && (await digest()) === before) keep(folder, file, types);
  return types;
}

/** Best effort: a full disk is no reason to answer with an error. */
function keep(folder: string, file: string, types: ProjectTypes): void {
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
  hash.update(JSON.stringify([FORMAT, version, dir, entries]));
  const settings = ["tsconfig.json", "package.json"].map((name) => join(dir, name));
  const packages = ["typescript", "@langchain/langgraph", "@langchain/core"].map((name) =>
    aboutPackage(name, dir),
  );
  const found = await sourcesOf(graphs, [...settings, ...packages.filter((file) => file !== undefined)]);
  if (!found.complete) return undefined;
  for (const { file, text } of found.sources) hash.update(JSON.stringify([file, text]));
  return hash.digest("hex");
}

function aboutPackage(name: string, dir: string): string | undefined {
  try {
    return Bun.resolveSync(`${name}/package.json`, dir);
  } catch {
    return undefined;
  }
}
