// `bun run build [FILE] [--target NAME]… [--all]`: executables that do what the sources do, for this machine or
// for others; at dist/berth and dist/berth-NAME, or one of them at FILE.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { TARGETS } from "./release/index.ts";
import { commitOf } from "./version.ts";
import { EMBEDDED, freshPage, SOURCES, writePage } from "./web/index.ts";

/** Nobody waits for it, so the page is made as small as it can be. */
const BEST = 11;
const MIB = 1_048_576;

const root = resolve(import.meta.dir, "..");

type Wanted = { target: string | undefined; file: string };

process.exit(await main(process.argv.slice(2)));

async function main(words: string[]): Promise<number> {
  let wanted: Wanted[];
  try {
    wanted = readArguments(words);
  } catch (error) {
    process.stderr.write(`build: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), "berth-build-"));
  try {
    // An embedded folder keeps its own name, under which the executable looks for it.
    const page = join(folder, basename(EMBEDDED));
    await writePage(page, await freshPage(SOURCES, BEST));
    for (const one of wanted) {
      // An executable holds the name that it was compiled under: it is the same whatever it is called afterwards.
      const made = join(folder, `berth${suffixOf(one)}`);
      const code = compile(one.target, made, page);
      if (code !== 0) return code;
      place(made, pathOf(one));
      process.stdout.write(told(pathOf(one)));
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws Error what is wrong with them */
function readArguments(words: string[]): Wanted[] {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { target: { type: "string", multiple: true, default: [] }, all: { type: "boolean" } },
  });
  const targets = values.all ? TARGETS : values.target;
  const unknown = targets.find((target) => !TARGETS.includes(target));
  if (unknown !== undefined) throw new Error(`no target "${unknown}": there are ${TARGETS.join(", ")}`);
  const [file, ...more] = positionals;
  if (more.length > 0 || (file !== undefined && targets.length > 1))
    throw new Error("one FILE is for one executable");
  if (targets.length === 0) return [{ target: undefined, file: resolve(root, file ?? "dist/berth") }];
  return targets.map((target) => ({ target, file: resolve(root, file ?? `dist/berth-${target}`) }));
}

/** Compiles; for another machine with the Bun of that machine, which Bun fetches as it fetches packages. */
function compile(target: string | undefined, file: string, page: string): number {
  const { exitCode } = Bun.spawnSync(
    [
      process.execPath,
      ...["build", "--compile", "--minify", "--keep-names", "--sourcemap=none"],
      ...(target === undefined ? [] : [`--target=bun-${target}`]),
      // Compiled ahead: halves the time to the first answer. Bytecode knows top-level await only in ES modules.
      // In parts: a start reads only those that it needs, in four fifths of the time.
      ...["--bytecode", "--format=esm", "--splitting"],
      // A project's graphs come with their own node_modules, which are found through its package.json, and may import
      // by the `paths` of its tsconfig.json.
      ...["--compile-autoload-package-json", "--compile-autoload-tsconfig"],
      // A stray .env or bunfig.toml where the binary is started must not change it: server/settings/config.ts reads .env.
      ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
      ...["--define", `BERTH_COMMIT=${JSON.stringify(commitOf(root) ?? "")}`],
      ...["--asset", page],
      ...["server/main.ts", "--outfile", file],
    ],
    { cwd: root, stdio: ["ignore", "ignore", "inherit"] },
  );
  return exitCode;
}

/** What executables of a machine are called behind their name. */
function suffixOf({ target }: Wanted): string {
  return target?.startsWith("windows") ? ".exe" : "";
}

function pathOf(one: Wanted): string {
  const suffix = suffixOf(one);
  return one.file.endsWith(suffix) ? one.file : one.file + suffix;
}

/** In one step, so that one that runs from there is replaced and not written into. */
function place(made: string, path: string): void {
  const beside = `${path}.part`;
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(made, beside);
  renameSync(beside, path);
}

/** As `sha256sum` writes it, so that `sha256sum --check` can read it, and how large it is. */
function told(path: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(readFileSync(path)).digest("hex");
  process.stderr.write(`${basename(path)}: ${(statSync(path).size / MIB).toFixed(1)} MiB\n`);
  return `${hash}  ${relative(root, path)}\n`;
}
