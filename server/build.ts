// `bun run build [FILE]`: one executable that does what the sources do, at dist/berth or at FILE.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { bundlePage } from "./web/page-bundle.ts";
import { EMBEDDED, writePage } from "./web/page-folder.ts";
import { SOURCES } from "./web/site.ts";

const root = resolve(import.meta.dir, "..");
const outfile = resolve(root, process.argv[2] ?? "dist/berth");
/** Nobody waits for it, so the page is made as small as it can be. */
const BEST = 11;

const folder = mkdtempSync(join(tmpdir(), "berth-build-"));
// An embedded folder keeps its own name, under which the executable looks for it.
const page = join(folder, basename(EMBEDDED));
await writePage(page, await bundlePage(SOURCES, BEST));
const { exitCode } = Bun.spawnSync(
  [
    process.execPath,
    ...["build", "--compile", "--minify", "--keep-names", "--sourcemap=none"],
    // Compiled ahead: halves the time to the first answer. Bytecode knows top-level await only in ES modules.
    ...["--bytecode", "--format=esm"],
    // A project's graphs come with their own node_modules, which are found through its package.json.
    "--compile-autoload-package-json",
    // A stray .env or bunfig.toml where the binary is started must not change it: server/config.ts reads .env.
    ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    ...["--asset", page],
    ...["server/main.ts", "--outfile", outfile],
  ],
  { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
);
rmSync(folder, { recursive: true, force: true });
if (exitCode === 0) process.stdout.write(`${outfile}\n`);
process.exit(exitCode);
