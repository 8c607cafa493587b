import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A larger map is not read: an error must not hold everybody up. */
const LARGEST_MAP = 16_777_216;
/** Where a file names its map. */
const TAIL_BYTES = 65_536;
/** An inline map is the end of its file. */
const INLINE_TAIL_BYTES = 8_388_608;
const MOST_MAPS = 50;

/** By file: its map, or none. */
const maps = new Map<string, SourceMap | undefined>();

/** `(/srv/dist/agent.js:12:5)` or the same without parentheses, at the end of a line. */
const PLACE = /((?:file:\/\/)?[^\s()]*\.[cm]?js):(\d+):(\d+)(\)?)$/;

/**
 * A line of a stack with the place in the source that the project was compiled from, where the compiled file names a
 * source map. Bun does this by itself for what it compiles; this is for what `tsc`, esbuild and others left.
 */
export function inSource(frame: string): string {
  const [, file = "", line, column, close = ""] = PLACE.exec(frame) ?? [];
  if (file === "" || file.includes("node_modules")) return frame;
  const path = file.startsWith("file:") ? fileURLToPath(file) : file;
  const found = mapOf(path)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!found || !("originalSource" in found) || !found.originalSource) return frame;
  const { originalSource, originalLine, originalColumn } = found;
  const source = originalSource.startsWith("file:") ? fileURLToPath(originalSource) : originalSource;
  const place = `${resolve(dirname(path), source)}:${originalLine + 1}:${originalColumn + 1}`;
  return `${frame.slice(0, frame.lastIndexOf(file))}${place}${close}`;
}

function mapOf(path: string): SourceMap | undefined {
  if (maps.has(path)) return maps.get(path);
  const map = readMap(path);
  const [oldest] = maps.keys();
  if (maps.size >= MOST_MAPS && oldest !== undefined) maps.delete(oldest);
  maps.set(path, map);
  return map;
}

/** The map that a file names, if it is there and can be read. */
function readMap(path: string): SourceMap | undefined {
  try {
    const url = urlIn(tailOf(path, TAIL_BYTES)) ?? urlIn(tailOf(path, INLINE_TAIL_BYTES));
    const text = url && mapText(url, path);
    if (!text || text.length > LARGEST_MAP) return undefined;
    const { sourceRoot = "", ...map } = JSON.parse(text) as { sourceRoot?: string; sources: string[] };
    const sources = map.sources.map((source) =>
      sourceRoot ? `${sourceRoot.replace(/\/$/, "")}/${source}` : source,
    );
    return new SourceMap({ ...map, sources } as unknown as ConstructorParameters<typeof SourceMap>[0]);
  } catch {
    return undefined;
  }
}

function urlIn(text: string): string | undefined {
  return [...text.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
}

function mapText(url: string, path: string): string | undefined {
  if (url.startsWith("data:")) {
    const [head = "", data = ""] = url.split(",", 2);
    return head.endsWith(";base64") ? Buffer.from(data, "base64").toString() : decodeURIComponent(data);
  }
  // Only beside the code: a map is not fetched from anywhere.
  if (/^[a-z][a-z+.-]*:/i.test(url)) return undefined;
  const file = resolve(dirname(path), decodeURIComponent(url));
  return Bun.file(file).size > LARGEST_MAP ? undefined : readFileSync(file, "utf8");
}

/** The end of a file. */
function tailOf(path: string, bytes: number): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(file, tail, 0, tail.length, Math.max(0, size - tail.length));
    return tail.toString("utf8", 0, read);
  } finally {
    closeSync(file);
  }
}
