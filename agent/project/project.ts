import { basename, dirname } from "node:path";
import { NotFound } from "@berth/store";
import type { Command } from "@langchain/langgraph";
import type { ProjectAuth } from "../auth.ts";
import { loadAuth } from "./auth-config.ts";
import { buildCommand, type WireCommand } from "./command.ts";
import { type GraphSpec, type ProjectConfig, readProjectFile } from "./config.ts";
import { keysWithoutEffect } from "./config-keys.ts";
import { drawGraph, type SubgraphQuery, type SubgraphSchemas, subgraphSchemas } from "./drawing.ts";
import { applyEnvironment, type EnvironmentOptions } from "./environment.ts";
import { type FactoryRuntime, inspecting } from "./factory-runtime.ts";
import type { Drawing, Graph, GraphConfig, GraphSchemas } from "./graph.ts";
import { asSource, type GraphSource, importGraph } from "./graph-export.ts";
import { type HttpConfig, readHttp } from "./http-config.ts";
import { type LangGraphCopy, langGraphOf, ownLangGraph } from "./langgraph-copy.ts";
import { ProjectError } from "./project-error.ts";
import { loadPython, type PythonFacts, type PythonProject } from "./python-project.ts";
import { graphSchemas } from "./schemas.ts";
import { type StateShape, shapeOf } from "./state-shape.ts";
import { NO_TYPES, type ProjectTypes, stateTypes } from "./state-types.ts";
import { keptTypes, type TypeCache } from "./type-cache.ts";
import { readUi, type UiConfig } from "./ui-config.ts";
import { readWebhooks, type WebhooksConfig } from "./webhooks-config.ts";

/** A loaded project: its configuration, its own LangGraph, and its graphs. */
export type Project = {
  /** Of its folder, or of the template. */
  name: string;
  /** The folder of the configuration file; a built-in template has none. */
  dir: string | null;
  /** In the order of the configuration file; a template's graphs have no path. */
  graphs: Record<string, Partial<GraphSpec>>;
  config: ProjectConfig;
  /** What its configuration file says without effect or in vain, one line for each; a template says nothing. */
  warnings?: readonly string[];
  langgraph: LangGraphCopy;
  /** What runs its graphs that are Python. */
  python?: PythonFacts | undefined;
  /** Resolves when what runs graphs elsewhere answers, where there is such a thing. */
  answers?: () => Promise<void>;
  /** Where its `store.index.embed` is Python. */
  pythonEmbed?: PythonProject["embed"];
  /** What it says of the server in front of it; absent for a template. */
  http?: HttpConfig;
  /** What it says of the webhooks of runs; absent for a template. */
  webhooks?: WebhooksConfig;
  /** What its graphs draw in pages of clients. */
  ui?: UiConfig | undefined;
  /** Who may call and do what, where the project decides that. */
  auth?: ProjectAuth | undefined;
  /**
   * The graph of that name; a factory makes it anew from `config`, so give it the run's or the thread's.
   * @param runtime what for; by default to describe it
   * @throws NotFound
   */
  graph(graphId: string, config?: GraphConfig, runtime?: FactoryRuntime): Promise<Graph>;
  /** @throws NotFound */
  schemas(graphId: string, config?: GraphConfig): Promise<GraphSchemas>;
  /** @throws NotFound @throws BadRequest LangGraph cannot draw it */
  drawing(
    graphId: string,
    xray: boolean | number,
    config?: GraphConfig,
  ): Promise<ReturnType<Drawing["toJSON"]>>;
  /** By namespace. @throws NotFound */
  subgraphs(
    graphId: string,
    query: SubgraphQuery,
    config?: GraphConfig,
  ): Promise<Record<string, SubgraphSchemas>>;
  /** Keeps what the compiler says of the types there from now on, for the next start; it may take `limitMs`. */
  keepTypes(cache: TypeCache, limitMs: number): void;
  /**
   * Reads the types, where nobody has asked for a schema yet or the compiler said nothing; whoever asks meanwhile waits
   * for the same reading. Whether they are known.
   */
  readTypes(): Promise<boolean>;
  /** What the state of a graph is before anything is stored of it. @throws NotFound */
  shape(graphId: string): Promise<StateShape>;
  /** The command of this project's LangGraph that a wire command stands for. @throws BadRequest */
  command(command: WireCommand): Command;
};

/** How a project is loaded; `python` is the interpreter of one that has no environment of its own. */
type LoadOptions = EnvironmentOptions & { python?: string | undefined };

/** Maximum delay of an answer by the compiler, so that the first answers of a server take less than 2 s. */
const TYPES_WAIT_MS = 1_200;

const isScript = ({ language }: Partial<GraphSpec>): boolean => language === undefined;

/**
 * Loads a project: reads its configuration file, sets its environment variables, and imports every
 * graph, so that a project that cannot work says so now and in one line.
 * @throws ProjectError
 */
export async function loadProject(dirOrFile: string, options: LoadOptions = {}): Promise<Project> {
  const read = await readProjectFile(dirOrFile);
  const warnings = await applyEnvironment(read, options);
  // From a graph's own folder, which in a monorepo may see other packages than the configuration file.
  const [first] = Object.values(read.graphs).filter(isScript);
  const langgraph = await langGraphOf(first ? dirname(first.path) : read.dir);
  const python = await loadPython(read, options.python);
  const sources: Record<string, GraphSource> = { ...python?.sources };
  for (const [id, spec] of Object.entries(read.graphs)) {
    if (isScript(spec))
      sources[id] = await importGraph(`${read.file}: graphs.${id}`, spec, langgraph.version);
  }
  const project = assemble(read.dir, read.graphs, read.config, langgraph, sources);
  return {
    ...project,
    python: python?.facts,
    ...(python && { answers: python.answers, pythonEmbed: python.embed }),
    name: basename(read.dir) || "project",
    warnings: [
      ...warnings,
      ...keysWithoutEffect(read.config).map((line) => `${basename(read.file)}: ${line}`),
    ],
    http: await readHttp(read, python?.app),
    webhooks: readWebhooks(read, process.env),
    ui: await readUi(read),
    auth: await loadAuth(read, python?.auth),
  };
}

/**
 * Loads a built-in template; nothing is read from disk, so it works from a compiled binary.
 * @throws ProjectError there is none of that name
 */
export async function loadTemplate(name: string): Promise<Project> {
  // Loaded only when asked for: most starts serve a project.
  const { isTemplate, templates } = await import("../templates/index.ts");
  if (!isTemplate(name))
    throw new ProjectError(`no template "${name}": there are ${Object.keys(templates).join(", ")}`);
  const { graphs } = templates[name];
  const sources: Record<string, GraphSource> = {};
  for (const [id, graph] of Object.entries(graphs)) {
    sources[id] = await asSource(`template ${name}: graphs.${id}`, await graph.load());
  }
  const specs = Object.fromEntries(
    Object.entries(graphs).map(([id, { description }]) => [id, { description }]),
  );
  return { ...assemble(null, specs, {}, await ownLangGraph(), sources), name };
}

function assemble(
  dir: string | null,
  graphs: Record<string, Partial<GraphSpec>>,
  config: ProjectConfig,
  langgraph: LangGraphCopy,
  sources: Record<string, GraphSource>,
): Omit<Project, "name"> {
  const graph: Project["graph"] = async (
    graphId,
    callConfig = { configurable: {} },
    runtime = inspecting("assistants.read"),
  ) => {
    const source = Object.hasOwn(sources, graphId) ? sources[graphId] : undefined;
    if (!source) throw new NotFound(`Graph "${graphId}" not found`);
    return source(callConfig, runtime);
  };
  // Once, for it takes a compiler seconds: whoever asks while it is under way waits for the same.
  let types: Promise<ProjectTypes> | undefined;
  let cache: TypeCache | undefined;
  let typesLimitMs: number | undefined;
  let waitMs: number | undefined;
  const typesOf = () => {
    const read = async () => {
      const scripts = Object.fromEntries(Object.entries(graphs).filter(([, spec]) => isScript(spec)));
      if (dir === null || Object.keys(scripts).length === 0) return NO_TYPES;
      const compile = () => stateTypes(dir, scripts, typesLimitMs);
      return cache ? keptTypes(cache, dir, scripts, compile) : compile();
    };
    types ??= read();
    return types;
  };
  // Types that arrive later than an answer may wait are in the next answer.
  const typesInTime = () => (waitMs === undefined ? typesOf() : within(waitMs, typesOf()));
  return {
    dir,
    graphs,
    config,
    langgraph,
    graph,
    schemas: async (graphId, callConfig) =>
      graphSchemas(
        graphId,
        await graph(graphId, callConfig),
        langgraph,
        async () => (await typesInTime()).graphs[graphId],
      ),
    drawing: async (graphId, xray, callConfig = { configurable: {} }) =>
      drawGraph(await graph(graphId, callConfig), callConfig, xray),
    subgraphs: async (graphId, query, callConfig) =>
      subgraphSchemas(
        await graph(graphId, callConfig),
        query,
        langgraph,
        async () => (await typesInTime()).nodes,
      ),
    keepTypes: (place, limitMs) => {
      cache = place;
      typesLimitMs = limitMs;
      waitMs = Math.min(limitMs, TYPES_WAIT_MS);
    },
    readTypes: async () => {
      if (types && (await types) === NO_TYPES) types = undefined;
      return (await typesOf()) !== NO_TYPES;
    },
    shape: async (graphId) => shapeOf(await graph(graphId)),
    command: (command) => buildCommand(langgraph, command),
  };
}

/** Returns the types, or none if the compiler takes longer than `limitMs`. The compiler goes on. */
async function within(limitMs: number, types: Promise<ProjectTypes>): Promise<ProjectTypes> {
  let timer: Timer | undefined;
  const late = new Promise<ProjectTypes>((resolve) => {
    timer = setTimeout(resolve, limitMs, NO_TYPES);
  });
  try {
    return await Promise.race([types, late]);
  } finally {
    clearTimeout(timer);
  }
}
