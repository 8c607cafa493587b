import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Executable, networkSettings, openNetworkSettings } from "../../machine/index.ts";
import type { Texts } from "../../settings/index.ts";
import { BuildFailed } from "./order.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { Workbench } from "./workbench.ts";

/** How long the installation of packages may take. */
export const INSTALL_LIMIT_SECONDS = 600;
/** How long a command of the project may take. */
const COMMAND_LIMIT_SECONDS = 900;

/** Where the one who runs Berth says how packages are reached: registries and their tokens. */
const PACKAGE_SETTINGS = [".npmrc", ".bunfig.toml"];

/** Ids of workspaces whose own commands may use Berth's credentials for packages; `*` stands for all. */
export type CredentialSettings = { control: { buildCredentials: readonly string[] } };

type InstallDeps = { executable: Executable; environment: Texts; settings: CredentialSettings };

/** How the project's own commands reach the outside: without Berth's credentials, unless its workspace may use them. */
function commandNetwork(bench: Workbench, deps: Omit<InstallDeps, "executable">): Record<string, string> {
  return mayUseCredentials(bench, deps)
    ? networkSettings(deps.environment)
    : openNetworkSettings(deps.environment);
}

function mayUseCredentials({ order }: Workbench, { settings }: Pick<InstallDeps, "settings">): boolean {
  const ids = settings.control.buildCredentials;
  return ids.includes("*") || ids.includes(order.revision.workspace_id);
}

/**
 * Installs a project's packages: by its own command where it names one, else by `bun install`. A lock file is kept to
 * the letter, and no package runs a program of its own unless the project says so.
 * @throws BuildFailed
 */
export async function installPackages(
  bench: Workbench,
  { install, lifecycleScripts }: ProjectFiles,
  deps: InstallDeps,
): Promise<void> {
  const { executable, environment } = deps;
  const own = bench.order.revision.settings.install_command;
  if (own === null && install === null)
    return bench.order.say("There is no package.json: nothing is installed");
  // The project's own programs run during such an installation, and could read what is there.
  const isOwn = own !== null || lifecycleScripts;
  const settings = isOwn && !mayUseCredentials(bench, deps) ? [] : packageSettings(environment);
  const network = isOwn ? commandNetwork(bench, deps) : networkSettings(environment);
  for (const { name, text } of settings) bench.hand(join(bench.home, name), text);
  try {
    if (own !== null) return await runCommand(bench, { command: own, cwd: bench.source, network });
    if (install === null) return;
    const args = [
      ...["install", "--no-progress"],
      ...(install.lockFile === null ? [] : ["--frozen-lockfile"]),
      ...(lifecycleScripts ? [] : ["--ignore-scripts"]),
    ];
    const { command, env } = executable.bun(args);
    const what = `bun ${args.join(" ")}${install.lockFile === null ? "" : `   # ${install.lockFile}`}`;
    await bench.run({
      ...{ what, command, cwd: install.folder, limitSeconds: INSTALL_LIMIT_SECONDS },
      env: { ...network, ...env },
    });
  } finally {
    for (const { name } of settings) await rm(join(bench.home, name), { force: true });
  }
}

/**
 * Builds the members of the workspace that the project needs and that are not built, each by its own build script,
 * unless the project has a `build_command`: that builds what it wants. One that fails ends nothing yet, for what it
 * would make may not be what the graphs import.
 * @returns what failed
 */
export async function buildMembers(
  bench: Workbench,
  { unbuilt }: ProjectFiles,
  deps: InstallDeps,
): Promise<string[]> {
  const failed: string[] = [];
  if (bench.order.revision.settings.build_command !== null) return failed;
  for (const { name, folder, file } of unbuilt) {
    bench.order.say(`The package ${name} is not built: ${join(folder, file)} is not there`);
    const { command, env } = deps.executable.bun(["run", "build"]);
    try {
      await bench.run({
        ...{ what: `bun run build   # ${folder}`, command, cwd: join(bench.source, folder) },
        ...{ limitSeconds: COMMAND_LIMIT_SECONDS, env: { ...commandNetwork(bench, deps), ...env } },
      });
    } catch (error) {
      if (!(error instanceof BuildFailed)) throw error;
      bench.order.say(error.message, "WARNING");
      failed.push(error.message);
    }
  }
  return failed;
}

/**
 * Runs the project's `build_command` where its configuration file lies, if it has one.
 * @throws BuildFailed
 */
export async function runBuildCommand(
  bench: Workbench,
  { configFolder }: ProjectFiles,
  deps: Omit<InstallDeps, "executable">,
): Promise<void> {
  const command = bench.order.revision.settings.build_command;
  if (command !== null)
    await runCommand(bench, { command, cwd: configFolder, network: commandNetwork(bench, deps) });
}

type ProjectCommand = { command: string; cwd: string; network: Record<string, string> };

function runCommand(bench: Workbench, { command, cwd, network }: ProjectCommand): Promise<void> {
  return bench.run({
    ...{ what: command, command: ["/bin/sh", "-c", command], cwd },
    ...{ limitSeconds: COMMAND_LIMIT_SECONDS, env: network },
  });
}

function packageSettings({ HOME }: Texts): { name: string; text: string }[] {
  if (HOME === undefined) return [];
  return PACKAGE_SETTINGS.flatMap((name) => {
    try {
      return [{ name, text: readFileSync(join(HOME, name), "utf8") }];
    } catch {
      return [];
    }
  });
}
