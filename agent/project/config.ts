import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "../record.ts";
import { readModuleExport } from "./module-export.ts";
import { ProjectError, reason } from "./project-error.ts";
import { pythonModuleOf } from "./python-parts.ts";

/** Where a graph is: a module, the export in it, and what the owner says about it. */
export type GraphSpec = {
  path: string;
  exportName: string;
  description?: string;
  /** Absent for TypeScript and JavaScript. */
  language?: "python";
  /** Of a Python graph that is named by its module: `package.module`. */
  module?: string;
};

/** A time to live as the configuration file spells it; times are minutes. */
type TtlConfig = {
  strategy?: "delete" | "keep_latest";
  default_ttl?: number;
  refresh_on_read?: boolean;
  sweep_interval_minutes?: number;
  sweep_limit?: number;
};

/**
 * The configuration file (`graph.json`, upstream `langgraph.json`) as its owner wrote it, but for
 * `graphs` and `env`, which are read here. Whoever uses another key checks it; unknown keys stay.
 */
export type ProjectConfig = {
  dependencies?: string[];
  store?: { index?: { embed?: string; dims?: number; fields?: string[] }; ttl?: TtlConfig };
  checkpointer?: { backend?: string; path?: string; ttl?: TtlConfig; serde?: Record<string, unknown> };
  auth?: { path?: string; disable_studio_auth?: boolean; openapi?: unknown; cache?: unknown };
  http?: Record<string, unknown>;
  webhooks?: { env_prefix?: string; headers?: Record<string, string>; url?: Record<string, unknown> };
  ui?: Record<string, string>;
  ui_config?: { shared?: string[] };
  [key: string]: unknown;
};

export type ProjectFile = {
  file: string;
  dir: string;
  graphs: Record<string, GraphSpec>;
  /** Values, the path of a file of them, or the names of those that are taken from the environment. */
  env: string | Record<string, string> | string[];
  config: ProjectConfig;
};

const NAMES = ["graph.json", "langgraph.json"];

/**
 * Reads a project's configuration file.
 * @param dirOrFile the file itself, or the folder of a `graph.json`, else of a `langgraph.json`
 * @throws ProjectError
 */
export async function readProjectFile(dirOrFile: string): Promise<ProjectFile> {
  const file = await findFile(resolve(dirOrFile));
  const config = await readJson(file);
  if (!isRecord(config)) throw new ProjectError(`${file}: must be a JSON object`);
  const dir = dirname(file);
  return { file, dir, graphs: readGraphs(file, dir, config.graphs), env: readEnv(file, config.env), config };
}

async function findFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return path;
  if (!found) throw new ProjectError(`${path}: no such file or folder`);
  for (const name of NAMES) {
    const file = join(path, name);
    if (await Bun.file(file).exists()) return file;
  }
  throw new ProjectError(`${path}: holds no ${NAMES.join(" or ")}`);
}

async function readJson(file: string): Promise<unknown> {
  const text = await Bun.file(file)
    .text()
    .catch((error) => {
      throw new ProjectError(`${file}: cannot be read: ${reason(error)}`, { cause: error });
    });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProjectError(`${file}: is not valid JSON: ${reason(error)}`, { cause: error });
  }
}

function readGraphs(file: string, dir: string, graphs: unknown): Record<string, GraphSpec> {
  if (!isRecord(graphs) || Object.keys(graphs).length === 0) {
    throw new ProjectError(`${file}: graphs: must name at least one graph, as {"agent": "./agent.ts:graph"}`);
  }
  const specs = Object.entries(graphs).map(([id, spec]) => [
    id,
    readSpec(`${file}: graphs.${id}`, dir, spec),
  ]);
  return Object.fromEntries(specs);
}

function readSpec(where: string, dir: string, spec: unknown): GraphSpec {
  const { path, description } = isRecord(spec) ? spec : { path: spec, description: undefined };
  const python = typeof path === "string" ? pythonModuleOf(path) : undefined;
  const named =
    typeof path === "string"
      ? readModuleExport(path, (module) => resolve(dir, python?.file ?? module))
      : undefined;
  if (!named || (python && named.exportName === "default")) {
    const example = python ? "./file.py:graph" : "./file.ts:export";
    throw new ProjectError(`${where}: must be "${example}", not ${JSON.stringify(path)}`);
  }
  if (description !== undefined && description !== null && typeof description !== "string") {
    throw new ProjectError(`${where}.description: must be a string, not ${JSON.stringify(description)}`);
  }
  return {
    ...named,
    ...(description ? { description } : {}),
    ...(python && { language: "python" as const, ...(python.module && { module: python.module }) }),
  };
}

function readEnv(file: string, env: unknown): ProjectFile["env"] {
  if (env === undefined || env === null) return {};
  if (typeof env === "string") return env;
  if (Array.isArray(env) && env.every((name) => typeof name === "string")) return env;
  if (!isRecord(env)) {
    throw new ProjectError(
      `${file}: env: must be an object, the path of a dotenv file, or a list of names of the environment`,
    );
  }
  for (const [name, value] of Object.entries(env)) {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw new ProjectError(`${file}: env.${name}: must be a string, not ${JSON.stringify(value)}`);
    }
  }
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}
