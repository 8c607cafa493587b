import type { Source } from "./source.ts";

/** What begins a regular expression over request paths, or compares a path with one that is spelled out. */
const READERS = [
  /\/\^(?:\\\/|\(\?:\\\/)(?:[a-z]|\(\?:)/,
  /\bpath(?:name)?\s*[!=]==\s*"\/[a-z]/i,
  /\b(?:path|pathname|url)\.(?:startsWith|endsWith|includes)\("\/[a-z]/i,
  /new Set\(\["\/[a-z]/,
];

/** Where the program reads other paths than those of requests: of files, settings and repositories. */
const OTHER_PATHS = /^server\/(?:cli|service|dev|reach|machine|sources|control\/(?:build|run))\//;

/**
 * Each line of the server that reads a request's path by itself. Who may call is said beside the operation, and one
 * matcher (`server/access`) reads the path: two readings of one path were a way around the door before.
 */
export const pathReaders = (sources: Source[]): string[] =>
  sources
    .filter(({ path }) => path.startsWith("server/") && !OTHER_PATHS.test(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .filter((line) => READERS.some((reader) => reader.test(line)))
        .map((line) => `${path}: ${line.trim()}`),
    );
