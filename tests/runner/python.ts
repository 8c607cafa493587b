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
 * @param withWheels also what deployments install without a network; without it, their tests are skipped
 */
export async function ensurePython(withWheels: boolean): Promise<void> {
  if (process.env.PYTHON) return;
  const wanted = (await Bun.file(REQUIREMENTS).text()) + (await Bun.file(TOOLS).text());
  const mark = Bun.file(join(VENV, "complete"));
  const isThere = (await mark.exists()) && (await mark.text()) === wanted;
  if (!isThere && !(await made())) return;
  if (!isThere) writeFileSync(join(VENV, "complete"), wanted);
  const wheels = join(VENV, "wheels");
  if (withWheels && !existsSync(wheels)) await ran([...pip("download"), "-r", REQUIREMENTS, "-d", wheels]);
}

const INSIDE = join(VENV, "bin", "python");
const pip = (command: string) => [INSIDE, "-m", "pip", command, "--quiet", "--disable-pip-version-check"];

/** Whether there is an environment with everything now. */
async function made(): Promise<boolean> {
  const python = ["python3", "python"].find(fits);
  if (python === undefined) return false;
  rmSync(VENV, { recursive: true, force: true });
  mkdirSync(VENV, { recursive: true });
  // Python compiles what is imported, and that is a small part.
  const install = (list: string) => ran([...pip("install"), "--no-compile", "-r", list]);
  // Some indexes lack one package, which holds types only.
  const standIn = () =>
    ran(["/bin/sh", "-c", `cp -R "$1"/* "$2"/lib/python3*/site-packages/`, "sh", STAND_IN, VENV]);
  const done =
    (await ran([python, "-m", "venv", VENV])) &&
    ((await install(REQUIREMENTS)) || ((await standIn()) && (await install(REQUIREMENTS)))) &&
    (await install(TOOLS));
  if (!done) console.log("The packages of the Python tests could not be installed: they are skipped");
  return done;
}

function fits(python: string): boolean {
  if (!Bun.which(python)) return false;
  const script = "import sys, venv, ensurepip; print(sys.version_info[1])";
  const { stdout, exitCode } = Bun.spawnSync([python, "-c", script]);
  return exitCode === 0 && Number(stdout.toString()) >= OLDEST_MINOR;
}

async function ran(command: string[]): Promise<boolean> {
  return (await Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] }).exited) === 0;
}
