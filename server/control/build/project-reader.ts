import type { Executable } from "../../machine/index.ts";
import { NO_CACHE } from "./graph-check.ts";
import { BuildFailed } from "./order.ts";
import type { ProjectFiles } from "./project-files.ts";
import { ReportReader } from "./project-report.ts";
import type { Workbench } from "./workbench.ts";

/** Time limit for reading the files of a project. Reading takes less than a second for ordinary ones. */
const READ_LIMIT_SECONDS = 30;

/**
 * Reads the files of a project in a process of its own, as the deployment's user. Parsing them can take time that is
 * quadratic in their size, and the main process serves every other workspace.
 * @throws BuildFailed
 */
export async function readProjectApart(
  bench: Workbench,
  configPath: string,
  executable: Executable,
): Promise<ProjectFiles> {
  const { source, home } = bench;
  const words = ["read-project", "--project", source, "--config", configPath];
  const { command, env } = executable.berth(words);
  const report = new ReportReader();
  const { code, outOfTime } = await bench.quietly({
    command,
    // Not in the project: its bunfig.toml would count.
    cwd: home,
    limitSeconds: READ_LIMIT_SECONDS,
    env: { ...NO_CACHE, ...env },
    onLine: (line) => report.take(line),
  });
  if (outOfTime)
    throw new BuildFailed(
      `Reading package.json, pyproject.toml and other files of the project took more than ${READ_LIMIT_SECONDS} seconds`,
    );
  const files = report.end(source);
  if (files === undefined)
    throw new BuildFailed(`The files of the project could not be read: exit code ${code}`);
  return files;
}
