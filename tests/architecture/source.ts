import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const ROOT = join(import.meta.dir, "..", "..");

export type Import = { specifier: string; typeOnly: boolean };
/** A module of ours; `path` is relative to the root. */
export type Source = { path: string; text: string; imports: Import[] };

/** Every TypeScript module of the repository; the bench's peer and the case projects are left out. */
export function readSources(): Source[] {
  const found = new Bun.Glob("{store,agent,server,web,tests}/**/*.{ts,tsx}").scanSync({ cwd: ROOT });
  const paths = [...found].filter(
    (path) => !/(^|\/)node_modules\/|^tests\/bench\/peer\/|^tests\/cases\/javascript\//.test(path),
  );
  return paths.sort().map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return { path, text, imports: readImports(text) };
  });
}

const STATEMENT = /^[ \t]*(import|export)\b([^;'"`]*?)\bfrom\s*"([^"]+)"/gm;
const BARE = /^import\s*"([^"]+)"/gm;
const DYNAMIC = /(\btypeof\s+)?\bimport\(\s*"([^"]+)"\s*\)/g;

/** What a module imports or exports from elsewhere: statements, side effects, and literal `import()`s. */
export function readImports(text: string): Import[] {
  const statements = [...text.matchAll(STATEMENT)].map(([, , clause = "", specifier = ""]) => ({
    specifier,
    typeOnly: /^\s*type\b/.test(clause),
  }));
  const bare = [...text.matchAll(BARE)].map(([, specifier = ""]) => ({ specifier, typeOnly: false }));
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, typeOf, specifier = ""]) => ({
    specifier,
    typeOnly: typeOf !== undefined,
  }));
  // In a text that a test writes into a file, the name may be put in.
  return [...statements, ...bare, ...dynamic].filter(({ specifier }) => !specifier.includes("${"));
}

/** The path of a relative import, relative to the root. */
export function target({ path }: Source, specifier: string): string {
  return relative(ROOT, resolve(ROOT, dirname(path), specifier));
}

/** `@scope/name` or `name`: what has to be installed for a specifier that is no path. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Path of the package.json that a module belongs to, relative to the root. */
export function manifestOf({ path }: Source): string {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(join(ROOT, manifest))) return manifest;
  }
  return "package.json";
}
