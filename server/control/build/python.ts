import { readFileSync } from "node:fs";
import { join } from "node:path";
import { networkSettings } from "../../machine/index.ts";
import { settingText, type Texts } from "../../settings/index.ts";
import { EXPORTED_REQUIREMENTS, uvExportArguments } from "../../sources/index.ts";
import { INSTALL_LIMIT_SECONDS } from "./install.ts";
import { BuildFailed } from "./order.ts";
import { OLDEST_MINOR, PYTHON_NEEDED } from "./python-here.ts";
import type { PythonSource } from "./python-source.ts";
import type { Workbench } from "./workbench.ts";

/** So many sets of packages are kept for the projects of one cache; the others go. */
const KEPT_SETS = 3;
const LOOK_LIMIT_SECONDS = 60;
/** Where the one who runs Berth says how packages of Python are reached, from the home folder. */
const PIP_FILES = [".config/pip/pip.conf", ".pip/pip.conf"];
const ENVIRONMENT = ".venv";

/** A Python of this machine. */
type Interpreter = { command: string; version: string };

/**
 * Lays a virtual environment with the packages of a Python project beside its configuration file. Packages that were
 * installed for the same list before are taken from the cache of the deployment.
 * @throws BuildFailed
 */
export async function installPython(
  bench: Workbench,
  project: PythonSource,
  environment: Texts,
): Promise<void> {
  const uv = Bun.which("uv", { PATH: environment.PATH ?? "" }) ?? undefined;
  refuseWithoutLock(project, uv);
  const python = await interpreterFor(bench, project, environment);
  bench.order.say(`Python ${python.version} (${python.command})`);
  const settings = pipSettings(bench, project, environment);
  const key = keyOf(bench.source, project, python, environment);
  const sets = join(bench.cache, "python");
  const kept = join(sets, key);
  const target = join(project.folder, ENVIRONMENT);
  const steps = new Steps(bench, { ...networkSettings(environment), ...settings });
  // Whatever was sent in its place.
  await steps.quietly(["rm", "-rf", target]);
  if (await steps.quietly(["test", "-f", join(kept, "complete")])) {
    bench.order.say("The list of packages is as it was: those of an earlier build are taken");
    await steps.run("copy the packages", ["cp", "-a", join(kept, ENVIRONMENT), target]);
    await steps.quietly(["touch", join(kept, "complete")]);
    return;
  }
  await install(steps, { root: bench.source, python, project, target, uv });
  await keep(steps, { sets, kept, target });
}

/** @throws BuildFailed packages come from where pip does not look */
function refuseWithoutLock({ needsLock, lock }: PythonSource, uv: string | undefined): void {
  if (needsLock === null || (lock && uv)) return;
  throw new BuildFailed(
    `${needsLock}, which only uv with a uv.lock follows: ${lock ? "install uv on the server" : "add a uv.lock"}`,
  );
}

type Order = {
  root: string;
  python: Interpreter;
  project: PythonSource;
  target: string;
  uv: string | undefined;
};

async function install(steps: Steps, { root, python, project, target, uv }: Order): Promise<void> {
  const inside = join(target, "bin", "python");
  if (uv)
    await steps.run("uv venv", [uv, "venv", "--python", python.command, "--seed", target], project.folder);
  else await steps.run("python -m venv .venv", [python.command, "-m", "venv", target], project.folder);
  const pip = uv
    ? [uv, "pip", "install", "--python", inside]
    : [inside, "-m", "pip", "install", "--no-input", "--disable-pip-version-check"];
  const name = uv ? "uv pip install" : "pip install";
  if (project.lock && uv) {
    const { file, folder, locals } = project.lock;
    await steps.run(`uv export   # ${file}`, [uv, ...uvExportArguments(project.lock)], folder);
    await steps.run(`${name} -r ${file}`, [...pip, "-r", EXPORTED_REQUIREMENTS], folder);
    if (locals.length > 0)
      await steps.run(`${name} ${shownWords(root, locals)}`, [...pip, "--no-deps", ...locals], folder);
  } else {
    if (project.lock) steps.say(`${project.lock.file} is not followed: uv is not installed`);
    for (const words of project.installs)
      await steps.run(`${name} ${shownWords(root, words)}`, [...pip, ...words], project.folder);
  }
  if (await steps.quietly([inside, "-c", "import langgraph.graph"])) return;
  steps.say("langgraph is not among the packages of the project: the newest is taken");
  await steps.run(`${name} langgraph`, [...pip, "langgraph"], project.folder);
}

/** Words of a command with paths as the project knows them. */
const shownWords = (root: string, words: readonly string[]): string =>
  words.map((word) => word.replace(`${root}/`, "")).join(" ");

/** Keeps what was installed for the next build, beside a few others. */
async function keep(steps: Steps, { sets, kept, target }: { sets: string; kept: string; target: string }) {
  const fresh = `${kept}.new`;
  const script = [
    'rm -rf "$2" && mkdir -p "$2" && cp -a "$3" "$2/" && touch "$2/complete" && rm -rf "$1" && mv "$2" "$1"',
    `cd "$4" && ls -t */complete | tail -n +${KEPT_SETS + 1} | while read -r old; do rm -rf "\${old%/complete}"; done`,
  ].join("\n");
  // Best effort: a full disk is no reason for a build to fail whose packages are there.
  await steps.quietly(["/bin/sh", "-c", script, "sh", kept, fresh, target, sets]);
}

/** What a set of packages depends on. */
function keyOf(
  root: string,
  { installs, digest, lock }: PythonSource,
  python: Interpreter,
  environment: Texts,
): string {
  // Each build has a folder of its own.
  const words = installs.map((call) => call.map((word) => word.replace(root, "")));
  const network = Object.entries(networkSettings(environment)).filter(([name]) => /^(?:PIP|UV)_/.test(name));
  const hash = new Bun.CryptoHasher("sha256");
  hash.update(JSON.stringify([2, python, words, digest, lock?.file, lock?.package, network]));
  return hash.digest("hex").slice(0, 32);
}

/** Runs the steps of one installation, each as the deployment's user. */
class Steps {
  constructor(
    private readonly bench: Workbench,
    private readonly env: Record<string, string>,
  ) {}

  say(line: string): void {
    this.bench.order.say(line, "WARNING");
  }

  /** @throws BuildFailed */
  run(what: string, command: string[], cwd = this.bench.source): Promise<void> {
    return this.bench.run({ what, command, cwd, limitSeconds: INSTALL_LIMIT_SECONDS, env: this.env });
  }

  /** Whether a program ended well. */
  async quietly(command: string[]): Promise<boolean> {
    const step = { command, cwd: this.bench.source, limitSeconds: INSTALL_LIMIT_SECONDS, env: this.env };
    const { code, outOfTime } = await this.bench.quietly({ ...step, onLine: () => undefined });
    return code === 0 && !outOfTime;
  }
}

/** The Python that the project asks for, else what this machine has. */
async function interpreterFor(
  bench: Workbench,
  { version }: PythonSource,
  environment: Texts,
): Promise<Interpreter> {
  const own = settingText(environment, "PYTHON");
  const named = [own, version === null ? undefined : `python${version}`, "python3", "python"].filter(
    (one) => one !== undefined,
  );
  for (const command of named) {
    const found = await versionOf(bench, command);
    if (found === undefined) continue;
    const [, minor = 0] = found.split(".").map(Number);
    if (minor < OLDEST_MINOR) continue;
    if (version && !found.startsWith(`${version}.`))
      bench.order.say(
        `"python_version" asks for ${version}, which is not here: ${found} is taken`,
        "WARNING",
      );
    return { command, version: found };
  }
  throw new BuildFailed(`The project ${PYTHON_NEEDED}`);
}

async function versionOf(bench: Workbench, command: string): Promise<string | undefined> {
  let told = "";
  const script = "import sys, venv; print('.'.join(str(part) for part in sys.version_info[:3]))";
  const { code } = await bench
    .quietly({
      command: [command, "-c", script],
      cwd: bench.home,
      limitSeconds: LOOK_LIMIT_SECONDS,
      onLine: (line) => {
        told = line.trim();
      },
    })
    .catch(() => ({ code: 1 }));
  return code === 0 && /^3\.\d+\.\d+/.test(told) ? told : undefined;
}

/** Where packages come from, beyond what the environment says. */
function pipSettings(bench: Workbench, { pipConfig }: PythonSource, { HOME }: Texts): Record<string, string> {
  if (pipConfig !== undefined) return { PIP_CONFIG_FILE: pipConfig };
  for (const name of HOME === undefined ? [] : PIP_FILES) {
    try {
      const file = join(bench.home, "pip.conf");
      bench.hand(file, readFileSync(join(HOME ?? "", name), "utf8"));
      return { PIP_CONFIG_FILE: file };
    } catch {
      // There is none at that place.
    }
  }
  return {};
}
