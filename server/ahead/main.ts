// `bun run compile [FOLDER]`: the sources as few files that need no reading of TypeScript. `bun run start` and the
// other commands take those in the folder that is theirs, until a source changes.
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { AHEAD, stampOf } from "./index.ts";

const root = resolve(import.meta.dir, "../..");
const program = join(root, "server/main.ts");

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
const folder = resolve(root, process.argv[2] ?? AHEAD.folder);
// What is being written has no stamp, and so nobody takes it.
rmSync(folder, { recursive: true, force: true });
const { success, logs, outputs } = await Bun.build({
  entrypoints: [program],
  outdir: folder,
  target: "bun",
  format: "esm",
  splitting: true,
  sourcemap: "linked",
  plugins: [inPlace, asInstalled],
  throw: false,
});
if (!success) {
  process.stderr.write(`compile: ${logs.map(String).join("\n")}\n`);
  process.exit(1);
}
writeFileSync(join(folder, AHEAD.stamp), stamp);
const bytes = outputs.reduce((sum, { size }) => sum + size, 0);
process.stdout.write(
  `${relative(root, folder)}: ${outputs.length} files, ${(bytes / 1_048_576).toFixed(1)} MiB\n`,
);
