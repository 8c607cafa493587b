import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GraphSpec } from "./config.ts";

/** A file of a project, by its real path; null where there is none. */
export type SourceFile = { file: string; text: string | null };

/** More sources than this nobody follows. */
const MOST_SOURCES = 5_000;

/** What is named by `import`, `export … from`, `import()` and `require()`; too much does no harm here. */
const SPECIFIER = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n]+)["']/g;

/**
 * Every source that the graphs import, also what a linked package has, and of each installed package its
 * `package.json`.
 * @param more files to begin with besides; of a `tsconfig.json` what it builds on is followed as well
 * @returns `complete` says whether everything could be followed
 */
export async function sourcesOf(
  graphs: Record<string, Partial<GraphSpec>>,
  more: string[] = [],
): Promise<{ sources: SourceFile[]; complete: boolean }> {
  const paths = Object.values(graphs).flatMap(({ path }) => (path === undefined ? [] : [realpathSync(path)]));
  const seen = new Set<string>([...paths, ...more]);
  const sources: SourceFile[] = [];
  let complete = true;
  // What is added while it is walked is walked as well.
  for (const file of seen) {
    if (sources.length === MOST_SOURCES) return { sources, complete: false };
    const source = Bun.file(file);
    const text = (await source.exists()) ? await source.text() : null;
    sources.push({ file, text });
    if (text === null) continue;
    const next = isSettings(file) ? extended(text, file) : imported(text, file);
    if (next === undefined) complete = false;
    for (const one of next ?? []) seen.add(one);
  }
  return { sources, complete };
}

export const isSettings = (file: string) => file.endsWith(".json");

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
