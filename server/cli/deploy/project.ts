import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Texts } from "../../settings/index.ts";
import { type Fields, isFields } from "./answer.ts";
import { DeployFailure, EXIT } from "./failure.ts";

/** A project on this machine, as far as it is looked at before the server does. */
export type LocalProject = {
  /** Absolute path of its graph.json. */
  file: string;
  /** Its folder. */
  dir: string;
  config: Fields;
};

/** Where the values of a deployment's secrets come from. */
export type SecretsSource = {
  /** Undefined where there is no such file and nothing in the configuration: the deployment's secrets stay. */
  values: Texts | undefined;
  /** The file that they are in; it never goes into an archive. */
  file: string | null;
  /** Said when something that the configuration names is missing. */
  warning: string | null;
  /** Said of values that come from elsewhere than the project. */
  note: string | null;
};

const NAMES = ["graph.json", "langgraph.json"];

/** Reads the configuration file at `path`, or the one in `folder`. */
export function readProject(folder: string, path: string | undefined): LocalProject {
  const file = path === undefined ? NAMES.map((name) => join(folder, name)).find(existsSync) : resolve(path);
  if (file === undefined)
    throw new DeployFailure(
      `there is no graph.json in ${folder}: go to your project's folder, name the file with --config, or begin one with "berth new"`,
      EXIT.usage,
    );
  if (!existsSync(file)) throw new DeployFailure(`--config: there is no ${file}`, EXIT.usage);
  const config = readJson(file);
  if (!isFields(config.graphs) || Object.keys(config.graphs).length === 0)
    throw new DeployFailure(
      `${file}: "graphs" must name at least one graph, as {"agent": "./agent.ts:graph"}`,
      EXIT.usage,
    );
  return { file, dir: dirname(file), config };
}

function readJson(file: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DeployFailure(`${file} cannot be read: ${why}`, EXIT.usage);
  }
  if (!isFields(value)) throw new DeployFailure(`${file}: must be a JSON object`, EXIT.usage);
  return value;
}

/**
 * The configuration's `env`: its own values, those of the dotenv file that it names or of the names that it lists, else
 * those of `.env` beside it.
 * @throws DeployFailure it names a file outside the project that is not called like one of settings
 */
export async function readEnvironment(
  { file: config, dir, config: { env } }: LocalProject,
  environment: Texts = process.env,
): Promise<SecretsSource> {
  const nothing = { file: null, warning: null, note: null };
  if (isFields(env) && Object.keys(env).length > 0) {
    const values = Object.entries(env).map(([name, value]) => [name, String(value)]);
    return { ...nothing, values: Object.fromEntries(values) };
  }
  if (Array.isArray(env) && env.length > 0)
    return { ...nothing, ...(await listed(config, env, environment)) };
  if (typeof env !== "string") return { ...nothing, ...readDotenv(join(dir, ".env")) };
  const file = resolve(dir, env);
  const inside = relative(dir, file);
  const isOutside = inside.startsWith("..") || isAbsolute(inside);
  // Whoever deploys what somebody else wrote does not mean to send any file that it names.
  if (isOutside && !DOTENV.test(basename(file)))
    throw new DeployFailure(
      `${config}: env: ${env} is outside the project. Outside, only files called .env, .env.NAME, NAME.env or .dev.vars may be named`,
      EXIT.usage,
    );
  const read = readDotenv(file);
  if (read.values !== undefined)
    return { ...nothing, ...read, note: isOutside ? `The environment is that of ${file}` : null };
  const { missingDotenv } = await import("@berth/agent");
  return { ...nothing, ...read, warning: `${missingDotenv(config, env, file)}${KEEPS}` };
}

const DOTENV = /^(?:\.env(?:\..+)?|.+\.env|\.dev\.vars)$/;
const KEEPS = ". The deployment keeps the secrets that it has";

/** The values of these names in the caller's environment; where it has none of them, the secrets stay as they are. */
async function listed(config: string, names: unknown[], environment: Texts) {
  const wanted = names.filter((name) => typeof name === "string");
  const set = wanted.filter((name) => environment[name]);
  const unset = wanted.filter((name) => !environment[name]);
  const values = Object.fromEntries(set.map((name) => [name, environment[name]]));
  const note = set.length === 0 ? null : `Taken from the environment: ${set.join(", ")}`;
  if (unset.length === 0) return { values, note };
  const { unsetNames } = await import("@berth/agent");
  const warning = unsetNames(config, unset);
  return set.length === 0 ? { values: undefined, warning: `${warning}${KEEPS}` } : { values, note, warning };
}

function readDotenv(file: string): { values: Texts | undefined; file: string } {
  return { values: dotenvTexts(file), file };
}

/** What a dotenv file says; undefined where there is none. */
export function dotenvTexts(file: string): Texts | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DeployFailure(`${file} cannot be read: ${why}`);
  }
}

/** A name of lower-case letters, digits and single hyphens made of any text: `My Agent!` is `my-agent`. */
export function normalName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "app" : name;
}
