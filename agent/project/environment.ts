import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { ProjectFile } from "./config.ts";
import { ProjectError } from "./project-error.ts";

export type EnvironmentOptions = {
  /** `optional` where the file stays with its owner and what it would say is in the environment already. */
  dotenv?: "needed" | "optional";
};

/**
 * What a project's `env` says.
 * @throws ProjectError when the dotenv file is missing
 */
export async function readEnvironment(
  { file, dir, env }: Pick<ProjectFile, "file" | "dir" | "env">,
  { dotenv = "needed" }: EnvironmentOptions = {},
): Promise<Readonly<Record<string, string | undefined>>> {
  return typeof env === "string" ? readDotenv(file, resolve(dir, env), dotenv) : env;
}

/**
 * Puts a project's `env` into this process, before its modules load. What is set already wins: whoever
 * starts the process knows better than a committed file.
 * @throws ProjectError when the dotenv file is missing
 */
export async function applyEnvironment(project: ProjectFile, options?: EnvironmentOptions): Promise<void> {
  const variables = await readEnvironment(project, options);
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

async function readDotenv(
  file: string,
  path: string,
  wanted: "needed" | "optional",
): Promise<Record<string, string | undefined>> {
  const dotenv = Bun.file(path);
  if (await dotenv.exists()) return parseEnv(await dotenv.text());
  if (wanted === "optional") return {};
  throw new ProjectError(`${file}: env: ${path} does not exist`);
}
