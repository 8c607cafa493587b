import { join, relative } from "node:path/posix";
import type { ProjectFiles } from "../../control/index.ts";
import { EXPORTED_REQUIREMENTS, type UvLock, uvExportArguments } from "../../sources/index.ts";
import type { Fields } from "./answer.ts";
import { DeployFailure, EXIT } from "./failure.ts";

/** What an image is made of. */
type ImageOrder = {
  /** The project's configuration. */
  config: Fields;
  /** Absolute path of its file. */
  configFile: string;
  /** What was found in the source, by absolute paths. */
  files: ProjectFiles;
  /** Absolute folder of the source. */
  root: string;
  commands: { install_command?: string; build_command?: string };
};

/** What lies beside the Dockerfile, by its name there. */
export const CONTEXT = { berth: "berth", bun: "bun", source: "app", own: "own" } as const;
/** What the Dockerfile calls the secret that is the project's settings of pip. */
export const PIP_SECRET = "pip-config";

const BERTH = "/usr/local/bin/berth";
const SOURCE = "/app";
const OWN = "/berth";
/** Nobody in particular: the image need not know a name for it. */
const USER = "65532:65532";
const PIP_FILE = "/run/secrets/pip.conf";
const CACHE = "/var/cache/berth";
const DEFAULT_PYTHON = "3.12";
/** Debian's releases by the names that `image_distro` may have. */
const DISTROS: Readonly<Record<string, string>> = {
  debian: "trixie",
  trixie: "trixie",
  bookworm: "bookworm",
  bullseye: "bullseye",
};
const REFERENCE = /^[a-z0-9][\w.\-/:@]*$/i;

/** In the order in which they can go: pip removes itself last. */
const PACKAGE_TOOLS = ["uv", "wheel", "setuptools", "pip"];

/**
 * The Dockerfile of a project: its packages, its files and this Berth, which serves it as nobody in particular.
 * @throws DeployFailure a key of the configuration has a value that no image can be made of
 */
export function dockerfileOf(order: ImageOrder): string {
  const { config, files } = order;
  const place = (path: string) => placeOf(order.root, path);
  const hasCommands = Object.keys(order.commands).length > 0;
  const lines = [
    `FROM ${baseImage(order)}`,
    "USER 0:0",
    ...ownLines(config),
    // They may have changed it.
    "USER 0:0",
    `COPY ${CONTEXT.berth} ${BERTH}`,
    ...(hasCommands ? [`COPY ${CONTEXT.bun} /usr/local/bin/bun`] : []),
    `COPY --chown=${USER} ${CONTEXT.own} ${OWN}`,
    `COPY ${CONTEXT.source} ${SOURCE}`,
    ...javaScriptLines(order),
    ...(files.python === null ? [] : pythonLines(order, files.python)),
    ...buildLines(order),
    `WORKDIR ${place(files.configFolder)}`,
    // As environment, so that whoever starts it may say otherwise.
    `ENV HOST=0.0.0.0 PORT=8000 DATA_DIR=${OWN}/data HOME=${OWN}/home`,
    "EXPOSE 8000",
    `USER ${USER}`,
    `ENTRYPOINT ${JSON.stringify([BERTH, "serve", "--project", placeOf(order.root, order.configFile, "exec")])}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The image that the configuration asks for, by name or by versions. */
function baseImage({ config, files }: ImageOrder): string {
  const { base_image: named } = config;
  if (isGiven(named)) {
    if (typeof named === "string" && REFERENCE.test(named)) return named;
    throw refusal("base_image", named, "the name of an image");
  }
  const release = distroOf(config);
  if (files.python !== null) return `python:${pythonVersion(config)}-slim-${release}`;
  const { node_version: node } = config;
  // Bun runs the project all the same: Node is there for the lines of the project's own.
  return isGiven(node) ? `node:${nodeMajor(node)}-${release}-slim` : `debian:${release}-slim`;
}

function distroOf({ image_distro: distro }: Fields): string {
  if (!isGiven(distro)) return "trixie";
  const release = typeof distro === "string" ? DISTROS[distro] : undefined;
  if (release !== undefined) return release;
  throw refusal("image_distro", distro, `${Object.keys(DISTROS).join(", ")}; name others as base_image`);
}

function pythonVersion({ python_version: version }: Fields): string {
  if (!isGiven(version)) return DEFAULT_PYTHON;
  if (typeof version === "string" && /^3\.(?:1[1-9]|[2-9]\d)$/.test(version)) return version;
  throw refusal("python_version", version, "3.11 or newer, as 3.12");
}

function nodeMajor(version: unknown): string {
  const major = /^v?(\d{1,3})(?:\.[\dx.]+)?$/.exec(String(version))?.[1];
  if (major !== undefined) return major;
  throw refusal("node_version", version, "a number such as 22");
}

function ownLines({ dockerfile_lines: lines }: Fields): string[] {
  if (!isGiven(lines)) return [];
  if (Array.isArray(lines) && lines.every((line) => typeof line === "string")) return lines;
  throw refusal("dockerfile_lines", lines, "a list of texts");
}

/** Packages as a server installs them: a lock file to the letter, and without their own programs. */
function javaScriptLines({ files, root, commands }: ImageOrder): string[] {
  const { install, lifecycleScripts } = files;
  if (commands.install_command) return [`WORKDIR ${SOURCE}`, command(commands.install_command)];
  if (install === null) return [];
  const words = [
    ...[BERTH, "install", "--no-progress"],
    ...(install.lockFile === null ? [] : ["--frozen-lockfile"]),
    ...(lifecycleScripts ? [] : ["--ignore-scripts"]),
  ];
  return [
    // Arguments are there while the image is built, and not in it.
    "ARG BUN_BE_BUN=1",
    `ARG BUN_INSTALL_CACHE_DIR=${CACHE}`,
    `WORKDIR ${placeOf(root, install.folder)}`,
    `RUN --mount=type=cache,target=${CACHE} ${JSON.stringify(words)}`,
  ];
}

type Python = NonNullable<ProjectFiles["python"]>;

/** A virtual environment beside the configuration file, where Berth looks for one. */
function pythonLines(order: ImageOrder, python: Python): string[] {
  const { root, config } = order;
  const environment = join(placeOf(root, python.folder, "exec"), ".venv");
  const inside = `${environment}/bin/python`;
  const usesUv = takesUv(config, python);
  const pip = [inside, "-m", "pip", "install", "--no-input", "--no-cache-dir", "--disable-pip-version-check"];
  const uv = [`${environment}/bin/uv`, "pip", "install", "--no-cache", "--python", inside];
  const mount =
    python.pipConfig === undefined ? "" : `--mount=type=secret,id=${PIP_SECRET},target=${PIP_FILE} `;
  const run = (words: readonly string[]) => `RUN ${mount}${JSON.stringify(words)}`;
  const install = (words: readonly string[]) => run([...(usesUv ? uv : pip), ...words]);
  const { lock } = python;
  if (python.needsLock !== null && (lock === null || !usesUv))
    throw new DeployFailure(`${python.needsLock}, which only uv with a uv.lock follows`, EXIT.usage);
  return [
    ...(python.pipConfig === undefined ? [] : [`ARG PIP_CONFIG_FILE=${PIP_FILE}`]),
    `WORKDIR ${placeOf(root, python.folder)}`,
    // With what the project's own lines have installed.
    run(["python3", "-m", "venv", "--clear", "--system-site-packages", environment]),
    ...(usesUv ? [run([...pip, "uv"])] : []),
    ...(lock !== null && usesUv
      ? lockLines(root, lock, [run, install, `${environment}/bin/uv`])
      : python.installs.map((words) => install(words.map((word) => insideImage(root, word))))),
    // Nothing happens where the project has it among its packages.
    install(["langgraph"]),
    ...removedTools(config).map((tools) => run([inside, "-m", "pip", "uninstall", "--yes", ...tools])),
  ];
}

type Runs = (words: readonly string[]) => string;

/** Installs what a lock file says, then the packages of the source. */
function lockLines(root: string, lock: UvLock, [run, install, uv]: [run: Runs, install: Runs, uv: string]) {
  const locals = lock.locals.map((path) => insideImage(root, path));
  return [
    `WORKDIR ${placeOf(root, lock.folder)}`,
    run([uv, ...uvExportArguments(lock)]),
    install(["-r", EXPORTED_REQUIREMENTS]),
    ...(locals.length > 0 ? [install(["--no-deps", ...locals])] : []),
  ];
}

/** uv follows its own lock file, pip has the settings that the project brings for it. */
function takesUv({ pip_installer: installer }: Fields, { lock, pipConfig }: Python): boolean {
  if (!isGiven(installer) || installer === "auto") return lock !== null && pipConfig === undefined;
  if (installer === "uv" && pipConfig !== undefined)
    throw new DeployFailure(
      "pip_installer: uv does not read a pip_config_file: leave one of them out",
      EXIT.usage,
    );
  if (installer === "uv" || installer === "pip") return installer === "uv";
  throw refusal("pip_installer", installer, "auto, pip or uv");
}

/** The tools that go once the packages are there, as one list; none where all are kept. */
function removedTools({ keep_pkg_tools: kept }: Fields): string[][] {
  if (kept === true) return [];
  if (!isGiven(kept) || kept === false) return [PACKAGE_TOOLS];
  if (!Array.isArray(kept) || !kept.every((tool) => PACKAGE_TOOLS.includes(tool)))
    throw refusal("keep_pkg_tools", kept, `true, false, or a list of ${PACKAGE_TOOLS.join(", ")}`);
  const gone = PACKAGE_TOOLS.filter((tool) => !kept.includes(tool));
  return gone.length === 0 ? [] : [gone];
}

/** The members of the workspace that are not built yet, or what the project says instead. */
function buildLines({ files, root, commands }: ImageOrder): string[] {
  const { build_command: own } = commands;
  if (own) return [`WORKDIR ${placeOf(root, files.configFolder)}`, command(own)];
  return files.unbuilt.flatMap(({ folder }) => [
    `WORKDIR ${placeOf(root, join(root, folder))}`,
    // What it would make may not be what the graphs import.
    `RUN BUN_BE_BUN=1 ${BERTH} run build || echo "this package is not built"`,
  ]);
}

const command = (text: string): string => `RUN ${JSON.stringify(["/bin/sh", "-c", text])}`;

/** A word that may be a path of the source, as it is in the image. */
function insideImage(root: string, word: string): string {
  return word === root || word.startsWith(`${root}/`) ? placeOf(root, word, "exec") : word;
}

/** @param way in a line, engines look for variables in a path; in the words of a command they do not */
function placeOf(root: string, path: string, way: "line" | "exec" = "line"): string {
  const place = join(SOURCE, relative(root, path));
  if (/[\r\n]/.test(place))
    throw new DeployFailure(`${JSON.stringify(place)}: a path must not contain a line break`, EXIT.usage);
  return way === "exec" ? place : place.replace(/[\\$]/g, "\\$&");
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function refusal(key: string, value: unknown, wanted: string): DeployFailure {
  return new DeployFailure(`"${key}" must be ${wanted}; it is ${JSON.stringify(value)}`, EXIT.usage);
}
