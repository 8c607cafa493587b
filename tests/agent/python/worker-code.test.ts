import { expect } from "bun:test";
import { join } from "node:path";
import { noPython, testPython, VENV } from "../../python-here.ts";
import { ROOT } from "../../runner/run.ts";
import { because, testUnless } from "../../skips.ts";

const WORKER = join(ROOT, "agent", "python");
const SETTINGS = join(WORKER, "pyproject.toml");
/** All Python of the repository. */
const FOLDERS = [
  "agent/python",
  "agent/templates",
  "tests/python-fixtures",
  "tests/e2e/python",
  "tests/bench/python",
];

const python = testPython() ?? "";
const has = (module: string): boolean => Bun.spawnSync([python, "-c", `import ${module}`]).success;
const reason = noPython ?? because(!has("ruff") || !has("mypy"), "no Python here has ruff and mypy");

/** What a tool says of something that is wrong; empty where nothing is. */
function said(cwd: string, ...words: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([python, "-m", ...words], { cwd });
  return exitCode === 0 ? "" : `${stdout}${stderr}`;
}

const check = testUnless(reason);

check("the Python of the repository is formatted", () => {
  expect(said(ROOT, "ruff", "format", "--check", "--no-cache", "--config", SETTINGS, ...FOLDERS)).toBe("");
});

check("and has none of the faults that ruff knows", () => {
  expect(said(ROOT, "ruff", "check", "--no-cache", "--config", SETTINGS, ...FOLDERS)).toBe("");
});

check("and the types of the worker fit", () => {
  expect(
    said(WORKER, "mypy", "--config-file", SETTINGS, "--cache-dir", join(VENV, "mypy"), "berth_worker"),
  ).toBe("");
});
