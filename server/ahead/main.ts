// `bun run compile [FOLDER]`: the sources as few files that need no reading of TypeScript. `bun run start` and the
// other commands take those in the folder that is theirs, until a source changes.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { AHEAD, PROGRAM, stampOf } from "./index.ts";

const root = resolve(import.meta.dir, "../..");
const program = join(root, PROGRAM);
/** So many of the newest stay: each is 17 MiB. */
const KEPT = 10;

/** Where a module is stays what it was in the sources: folders are named by it. The program itself starts threads. */
const inPlace: BunPlugin = {
  name: "in-place",
  setup: (build) => {
    build.onLoad({ filter: /[\\/](?:store|agent|server)[\\/].*\.ts$/ }, async ({ path, loader }) => {
      const text = await Bun.file(path).text();
      if (path === program || path.includes("node_modules")) return { loader, contents: text };
      const contents = text
        .replaceAll(/\bimport\.meta\.dir\b/g, JSON.stringify(dirname(path)))
        .replaceAll(/\bimport\.meta\.path\b/g, JSON.stringify(path));
      return { loader, contents };
    });
  },
};

/**
 * What stays a package: a project may have the same copy, or the package looks for its own files. Others that import
 * the same name may have another version of it, and keep that.
 */
const AS_INSTALLED =
  /^(?:@langchain\/|@elysiajs\/swagger|swagger-ui-dist|langchain|langsmith|deepagents|zod|typescript)(?:\/|$)?/;

const asInstalled: BunPlugin = {
  name: "as-installed",
  setup: (build) => {
    build.onResolve({ filter: AS_INSTALLED }, ({ path, importer }) =>
      importer.includes("node_modules") ? undefined : { path, external: true },
    );
  },
};

const stamp = stampOf(root);
const [, , given] = process.argv;
const folder = given === undefined ? join(root, AHEAD.folder, stamp) : resolve(root, given);
// Nobody takes what is being written.
const unfinished = `${folder}.${process.pid}`;
const { success, logs, outputs } = await Bun.build({
  entrypoints: [program],
  outdir: unfinished,
  target: "bun",
  format: "esm",
  splitting: true,
  sourcemap: "linked",
  plugins: [inPlace, asInstalled],
  throw: false,
});
if (!success) fail(logs.map(String).join("\n"));
if (stampOf(root) !== stamp) fail("a source has changed meanwhile: compile again");
const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
rmSync(folder, { recursive: true, force: true });
renameSync(unfinished, folder);
if (given === undefined) removeOlder(dirname(folder));
process.stdout.write(
  `${relative(root, folder)}: ${outputs.length} files, ${(bytes / 1_048_576).toFixed(1)} MiB\n`,
);

function fail(why: string): never {
  rmSync(unfinished, { recursive: true, force: true });
  process.stderr.write(`compile: ${why}\n`);
  process.exit(1);
}

/** A process that runs still loads from its folder what it has not needed so far. */
function removeOlder(all: string): void {
  const younger = (one: { mtimeMs: number }, other: { mtimeMs: number }) => other.mtimeMs - one.mtimeMs;
  const folders = readdirSync(all).map((name) => ({
    path: join(all, name),
    mtimeMs: statSync(join(all, name)).mtimeMs,
  }));
  for (const { path } of folders.sort(younger).slice(KEPT)) rmSync(path, { recursive: true, force: true });
}
