import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { ProjectFile } from "./config.ts";

export type EnvironmentOptions = {
  /** `optional` where the file stays with its owner and what it would say is in the environment already. */
  dotenv?: "needed" | "optional";
};

/** What a project's `env` says, and what somebody should know of it, one line for each. */
type ProjectEnvironment = {
  variables: Readonly<Record<string, string | undefined>>;
  warnings: string[];
};

type Named = Pick<ProjectFile, "file" | "dir" | "env">;

/** Reads what a project's `env` says; a list of names says nothing, for their values are in the environment. */
export async function readEnvironment(
  { file, dir, env }: Named,
  { dotenv = "needed" }: EnvironmentOptions = {},
): Promise<ProjectEnvironment> {
  if (Array.isArray(env)) {
    const missing = env.filter((name) => process.env[name] === undefined);
    return { variables: {}, warnings: missing.length === 0 ? [] : [unsetNames(file, missing)] };
  }
  if (typeof env !== "string") return { variables: env, warnings: [] };
  const path = resolve(dir, env);
  const found = Bun.file(path);
  if (await found.exists()) return { variables: parseEnv(await found.text()), warnings: [] };
  return { variables: {}, warnings: dotenv === "optional" ? [] : [missingDotenv(file, env, path)] };
}

/**
 * Puts a project's `env` into this process, before its modules load. What is set already wins: whoever
 * starts the process knows better than a committed file.
 * @returns the warnings
 */
export async function applyEnvironment(project: Named, options?: EnvironmentOptions): Promise<string[]> {
  const { variables, warnings } = await readEnvironment(project, options);
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  return warnings;
}

/** What is said of a dotenv file that is not there: most repositories name one that they do not contain. */
export function missingDotenv(file: string, env: string, path: string): string {
  const folder = dirname(path);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sample = names.find((name) => /^\.?env.*\.(?:example|sample|template)$/.test(name));
  const copy = sample === undefined ? "" : `: copy ${join(dirname(env), sample)} to it?`;
  return `${basename(file)}: env: ${env} does not exist${copy}`;
}

export const unsetNames = (file: string, names: readonly string[]): string =>
  `${basename(file)}: env: the environment has no ${names.join(", ")}`;
