import { BuildFailed } from "./order.ts";
import { readProject } from "./project-files.ts";
import { reportLines } from "./project-report.ts";

/** Reads a project and returns the lines that `readProjectApart` understands. */
export async function reportProject(root: string, configPath: string): Promise<string[]> {
  try {
    return reportLines({ files: await readProject(root, configPath) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message =
      error instanceof BuildFailed ? reason : `The files of the project cannot be read: ${reason}`;
    return reportLines({ error: message.slice(0, MAX_ERROR_CHARS) });
  }
}

const MAX_ERROR_CHARS = 2_000;
