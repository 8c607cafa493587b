import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { maskOf } from "@berth/store";
import type { Executable } from "../../machine/index.ts";
import { type CheckReport, readReport } from "../../sources/index.ts";
import { BuildFailed } from "./order.ts";
import type { Workbench } from "./workbench.ts";

/** How long a project may take to load. */
const CHECK_LIMIT_SECONDS = 60;

/** Bun's cache of compiled modules would lie in a home that is gone afterwards: filling it takes longer. */
export const NO_CACHE = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };

/** Secrets of these names would make the program be something else than Berth. */
const NEVER = /^BUN_(?:BE_BUN|OPTIONS)$/;

/**
 * Loads the project once, in a process of its own and with the revision's secrets: what cannot be loaded would not
 * start either, and here it can be told.
 * @throws BuildFailed with the reason, and the place in the project
 */
export async function checkGraphs(
  bench: Workbench,
  configPath: string,
  executable: Executable,
): Promise<void> {
  const { source, order } = bench;
  const file = join(source, configPath);
  const { command, env } = executable.berth(["check", "--project", file]);
  const told = order.secrets.filter(({ name }) => !NEVER.test(name));
  const secrets = Object.fromEntries(told.map(({ name, value }) => [name, value]));
  const own = { ...bench.environment(), ...NO_CACHE, ...env };
  const folder = { DATA_DIR: await bench.folderFor("data", bench.uid) };
  const shown = displayOf(bench);
  let report: CheckReport | undefined;
  order.say("Loading the graphs");
  const { code, outOfTime } = await bench.quietly({
    ...{
      command,
      cwd: dirname(file),
      limitSeconds: CHECK_LIMIT_SECONDS,
      env: { ...folder, ...secrets, ...own },
    },
    onLine: (line) => {
      const found = readReport(line);
      if (found) report = found;
      else if (line.trim() !== "") order.say(shown(line));
    },
  });
  if (report && "error" in report) throw new BuildFailed(shown(report.error));
  if (outOfTime) throw new BuildFailed(`The graphs did not load within ${CHECK_LIMIT_SECONDS} seconds`);
  if (!report)
    throw new BuildFailed(`The code of the project ended the process that loaded it, with exit code ${code}`);
  for (const warning of report.warnings) order.say(shown(warning), "WARNING");
  order.say(`Loaded ${report.graphs.join(", ")}`);
}

/** Paths as the project's owner knows them, and nobody's secrets. */
function displayOf({ source, order }: Workbench): (text: string) => string {
  const roots = new Set([`${source}/`, `${realpathSync(source)}/`]);
  const mask = maskOf(order.secrets.map(({ value }) => value));
  return (text) => mask([...roots].reduce((rest, root) => rest.replaceAll(root, ""), text));
}
