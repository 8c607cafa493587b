import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Options, ROOT } from "./options.ts";
import { comparison } from "./report.ts";
import { runBench } from "./run.ts";

/** Measures these sources and those of another commit in pairs, and says what differs. */
export async function compareWith(commit: string, options: Options): Promise<void> {
  await withTree(commit, async (root) => {
    const begun = performance.now();
    const { rows, failures } = await runBench(options, root);
    console.log(comparison(rows));
    for (const failure of failures) console.log(`failed: ${failure}`);
    console.log(`\n${nameOf("HEAD")} over ${nameOf(commit)}, ${seconds(begun)} s`);
  });
}

const seconds = (begun: number) => Math.round((performance.now() - begun) / 1_000);

/**
 * Checks a commit out into a temporary folder, for as long as `use` takes. Its tests are replaced by those from here:
 * the same graphs are measured by the same clients, and what the bench runs of Berth in its own process is that commit's.
 */
export async function withTree<T>(commit: string, use: (root: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "berth-bench-tree-"));
  const root = join(folder, "berth");
  const remove = () => {
    git("worktree", "remove", "--force", root);
    rmSync(folder, { recursive: true, force: true });
  };
  git("worktree", "add", "--detach", root, commit);
  process.on("exit", remove);
  try {
    await ourTests(root);
    await install(root);
    return await use(root);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** What its tests need of packages stays as its lock file has it. */
async function ourTests(root: string): Promise<void> {
  const needs = join(root, "tests/package.json");
  const before = existsSync(needs) ? readFileSync(needs, "utf8") : undefined;
  rmSync(join(root, "tests"), { recursive: true, force: true });
  cpSync(join(ROOT, "tests"), join(root, "tests"), { recursive: true, filter: isSource });
  if (before !== undefined) writeFileSync(needs, before);
}

const isSource = (path: string) => !/\/node_modules(\/|$)|\/bench\/peer(-older)?(\/|$)/.test(path);

/** Its packages: mostly from Bun's cache, since few differ from commit to commit. */
async function install(root: string): Promise<void> {
  const child = Bun.spawn([process.execPath, "install", "--frozen-lockfile"], {
    ...{ cwd: root, stdout: "ignore", stderr: "pipe" },
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0)
    throw new Error(`its packages could not be installed: ${errors.slice(-1_000)}`);
}

const nameOf = (commit: string) => git("log", "-1", "--format=%h %s", commit);

function git(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: ROOT });
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr.toString().trim()}`);
  return stdout.toString().trim();
}
