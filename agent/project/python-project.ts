import { type FetchApp, PythonApp } from "../apps/index.ts";
import type { AuthHandlers } from "../auth.ts";
import { pythonOf } from "../python/index.ts";
import { isRecord } from "../record.ts";
import type { ProjectFile } from "./config.ts";
import type { GraphSource } from "./graph-export.ts";
import { ProjectError } from "./project-error.ts";
import { PythonGraph, type PythonGraphFacts } from "./python-graph.ts";
import { pythonParts } from "./python-parts.ts";
import { PythonWorkers } from "./python-workers.ts";

/** What is known of the Python that runs a project's graphs. */
export type PythonFacts = { version: string; langgraph: string };

/** What of a project is Python. */
export type PythonProject = {
  sources: Record<string, GraphSource>;
  facts: PythonFacts;
  /** Of `auth.path`, where that is Python. */
  auth: AuthHandlers | undefined;
  /** Of `http.app`, where that is Python. */
  app: FetchApp | undefined;
  /** Of `store.index.embed`, where that is Python. */
  embed: (texts: string[]) => Promise<number[][]>;
  /** Resolves when the worker answers; at once while there is none. */
  answers(): Promise<void>;
};

/**
 * Starts a worker, has it load what of a project is Python, and gives that; undefined where nothing is. A worker that
 * ends is replaced when somebody next asks for something of it.
 * @param named the interpreter that the machine's owner names; a project with an environment of its own uses that
 * @throws ProjectError there is no Python, LangGraph is not installed, or something cannot be loaded
 */
export async function loadPython(project: ProjectFile, named?: string): Promise<PythonProject | undefined> {
  if (pythonParts(project.config).length === 0) return undefined;
  const workers = new PythonWorkers(project, pythonFor(project, named));
  const { graphs, langgraph, python: version, auth, routes } = await workers.loaded();
  const sources = Object.entries(graphs).map(([id, facts]) => [id, sourceOf(workers, id, facts)]);
  return {
    sources: Object.fromEntries(sources),
    facts: { version, langgraph },
    auth: auth && handlersOf(workers, auth),
    app: routes && new PythonApp(workers.worker, routes),
    embed: async (texts) => (await workers.worker()).call("embed", { texts }),
    answers: () => workers.answers(),
  };
}

/**
 * The interpreter of a project of which something is Python.
 * @throws ProjectError there is none
 */
export function pythonFor({ file, dir, config }: ProjectFile, named?: string): string {
  const python = pythonOf(dir, named);
  if (!python) throw new ProjectError(`${file}: ${pythonParts(config)[0]}: ${NO_PYTHON}`);
  return python;
}

const NO_PYTHON =
  'no Python was found: install Python 3.11 or newer, with "pip install langgraph", or name one by PYTHON';

function sourceOf({ worker }: PythonWorkers, graph: string, known: PythonGraphFacts | null): GraphSource {
  return async (config, runtime) => {
    const { configurable } = config;
    const own = Object.entries(configurable ?? {}).filter(([name]) => !name.startsWith("__"));
    const asked = { graph, access: runtime, config: { configurable: Object.fromEntries(own) } };
    const facts = known ?? (await (await worker()).call<PythonGraphFacts>("facts", asked));
    return new PythonGraph(worker, { graph, config, runtime }, facts);
  };
}

/** The handlers of an `Auth` in Python, as one in JavaScript has them. */
function handlersOf({ worker }: PythonWorkers, names: string[]): AuthHandlers {
  const callbacks = names.map((handler) => [
    handler,
    async (question: Record<string, unknown>) => {
      const asked = { handler, question };
      const told = await (await worker()).call<{ answer: unknown; value: unknown }>("authorize", asked);
      replace(question.value, told.value);
      return told.answer;
    },
  ]);
  return {
    authenticate: async ({ method, url, headers }) =>
      (await worker()).call("authenticate", { request: { method, url, headers: [...headers] } }),
    callbacks: Object.fromEntries(callbacks),
  };
}

/** What a handler changes in a value counts. */
function replace(value: unknown, changed: unknown): void {
  if (!isRecord(value) || !isRecord(changed)) return;
  for (const name of Object.keys(value)) if (!Object.hasOwn(changed, name)) delete value[name];
  Object.assign(value, changed);
}
