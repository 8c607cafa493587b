import type { GraphSpec } from "./config.ts";
import type { FactoryRuntime } from "./factory-runtime.ts";
import { type Graph, type GraphConfig, isGraph } from "./graph.ts";
import { importExport } from "./module-export.ts";
import { asNewerGraph, isOlder, isUnmarkedGraph } from "./older-graph.ts";
import { ProjectError, reason } from "./project-error.ts";

/** Gives the graph to use with a config: always the same one, or what the project's factory makes of it. */
export type GraphSource = (config: GraphConfig, runtime: FactoryRuntime) => Promise<Graph>;

/**
 * Imports the module of a graph and settles what its export is.
 * @param where how the error message names the graph: file and key
 * @param version of the LangGraph that it is made of
 * @throws ProjectError when the module or its export is missing, throws, or is no graph
 */
export async function importGraph(where: string, spec: GraphSpec, version: string): Promise<GraphSource> {
  const { exported } = await importExport(where, spec);
  const source = await asSource(`${where}: the export "${spec.exportName}" of ${spec.path}`, exported);
  if (!isOlder(version)) return source;
  return async (config, runtime) => asNewerGraph(await source(config, runtime), version);
}

/**
 * Settles what an export is: a compiled graph, a builder, an agent with a `.graph`, a promise of one of
 * these, or a factory that is called with the config of each run and each read, and with what it is for.
 * @param what begins the error message
 * @throws ProjectError when it is none of these
 */
export async function asSource(what: string, exported: unknown): Promise<GraphSource> {
  if (typeof exported === "function") {
    return async (config, runtime) => asGraph(`${what} made`, await exported(config, runtime));
  }
  const settled = await Promise.resolve(exported).catch((error) => {
    throw new ProjectError(`${what} failed: ${reason(error)}`, { cause: error });
  });
  const graph = asGraph(`${what} is`, settled);
  return async () => graph;
}

function asGraph(what: string, value: unknown): Graph {
  if (isGraph(value) || isUnmarkedGraph(value)) return value;
  // Before `compile`: an agent of langchain's `createAgent` has a `builder` too, but is not the graph.
  if (typeof value === "object" && value !== null && "graph" in value && isGraph(value.graph)) {
    return value.graph;
  }
  const compiled = compile(what, value);
  if (isGraph(compiled) || isUnmarkedGraph(compiled)) return compiled;
  throw new ProjectError(`${what} ${kind(value)}, not a graph, a graph builder or a function that makes one`);
}

function compile(what: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (!("compile" in value) || typeof value.compile !== "function") return undefined;
  try {
    return value.compile();
  } catch (error) {
    throw new ProjectError(`${what} a graph that does not compile: ${reason(error)}`, { cause: error });
  }
}

function kind(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
