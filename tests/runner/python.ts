import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VENV } from "../python-here.ts";
import { ROOT } from "./run.ts";

const FIXTURES = join(ROOT, "tests", "python-fixtures");
const REQUIREMENTS = join(FIXTURES, "requirements.txt");
/** What the tests themselves use. */
const TOOLS = join(FIXTURES, "tools.txt");
const STAND_IN = join(ROOT, "tests", "fixtures", "langchain-protocol");
const OLDEST_MINOR = 11;

/**
 * Makes a virtual environment with the packages that the Python tests need, once, where there is a Python 3.11 or newer
 * with pip. The tests say what they lack.
 */
export async function ensurePython(): Promise<void> {
  const wanted = (await Bun.file(REQUIREMENTS).text()) + (await Bun.file(TOOLS).text());
  const mark = Bun.file(join(VENV, "complete"));
  if (process.env.PYTHON || ((await mark.exists()) && (await mark.text()) === wanted)) return;
  const python = ["python3", "python"].find(fits);
  if (python === undefined) return;
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(VENV, { recursive: true });
  const inside = join(VENV, "bin", "python");
  const pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS];
  const tools = [...pip.slice(0, -1), TOOLS];
  // What deployments install without a network.
  const wheels = [inside, "-m", "pip", "download", "--quiet", "-r", REQUIREMENTS, "-d", join(VENV, "wheels")];
  // Some indexes lack one package, which holds types only.
  const standIn = ["/bin/sh", "-c", `cp -R "$1"/* "$2"/lib/python3*/site-packages/`, "sh", STAND_IN, VENV];
  const done = ran([python, "-m", "venv", VENV]) && (ran(pip) || (ran(standIn) && ran(pip))) && ran(tools);
  // Without them what is deployed from wheels is skipped.
  if (done) ran(wheels);
  if (done && existsSync(inside)) writeFileSync(join(VENV, "complete"), wanted);
  else console.log("The packages of the Python tests could not be installed: they are skipped");
}

function fits(python: string): boolean {
  if (!Bun.which(python)) return false;
  const script = "import sys, venv, ensurepip; print(sys.version_info[1])";
  const { stdout, exitCode } = Bun.spawnSync([python, "-c", script]);
  return exitCode === 0 && Number(stdout.toString()) >= OLDEST_MINOR;
}

function ran(command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: "inherit", stderr: "inherit" }).exitCode === 0;
}
