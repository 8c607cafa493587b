import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { PythonProjectFault, PythonWorker, WorkerLost } from "../python/index.ts";
import type { ProjectFile } from "./config.ts";
import { readModuleExport } from "./module-export.ts";
import { ProjectError } from "./project-error.ts";
import type { PythonGraphFacts } from "./python-graph.ts";
import { pythonModuleOf } from "./python-parts.ts";

/** What a worker says of a project that it has loaded. */
type LoadedPython = {
  /** Null where a function makes the graph anew each time. */
  graphs: Record<string, PythonGraphFacts | null>;
  langgraph: string;
  python: string;
  /** The names of the handlers of `auth.path`, if that is Python. */
  auth?: string[];
  /** The routes of `http.app`, if that is Python. */
  routes?: { method: string; path: string }[];
};

/** A worker that is killed while it loads the project is started again, so often in all. */
const MOST_LOADS = 3;

/** The worker of a project: one at a time. The next one is started when somebody needs it. */
export class PythonWorkers {
  #current: Promise<LoadedPython & { worker: PythonWorker }> | undefined;
  /** Once it has loaded the graphs. */
  #worker: PythonWorker | undefined;

  constructor(
    private readonly project: ProjectFile,
    private readonly python: string,
  ) {}

  /** @throws ProjectError */
  loaded(): Promise<LoadedPython & { worker: PythonWorker }> {
    this.#current ??= this.#load(MOST_LOADS);
    return this.#current;
  }

  /** @throws ProjectError */
  readonly worker = async (): Promise<PythonWorker> => (await this.loaded()).worker;

  /** Resolves when the worker answers; at once while there is none. */
  async answers(): Promise<void> {
    await this.#worker?.ping();
  }

  async #load(left: number): Promise<LoadedPython & { worker: PythonWorker }> {
    const { project } = this;
    const worker = new PythonWorker(this.python, project.dir);
    try {
      const wanted = { graphs: graphSpecs(project), code: codeSpecs(project) };
      const takes = { folder: project.dir, paths: localPaths(project), ...wanted };
      const loaded = await worker.call<LoadedPython>("load", takes);
      this.#worker = worker;
      void worker.gone.then(() => {
        this.#current = undefined;
        this.#worker = undefined;
      });
      return { ...loaded, worker };
    } catch (error) {
      worker.end();
      // Whoever killed it says nothing of the project.
      if (error instanceof WorkerLost && error.byOthers && left > 1) return this.#load(left - 1);
      this.#current = undefined;
      if (error instanceof PythonProjectFault) throw new ProjectError(error.message, { cause: error });
      if (!(error instanceof WorkerLost)) throw error;
      throw new ProjectError(`${project.file}: ${explained(error, worker, this.python)}`, { cause: error });
    }
  }
}

/** What a worker is told of an export. */
type Spec = { where: string; named: string; export: string; path?: string; module?: string };

function graphSpecs({ file, dir, graphs }: ProjectFile): Record<string, Spec> {
  const own = Object.entries(graphs).filter(([, { language }]) => language === "python");
  const specs = own.map(([id, { path, exportName, module }]): [string, Spec] => [
    id,
    {
      where: `${file}: graphs.${id}`,
      named: module ?? `./${relative(dir, path)}`,
      export: exportName,
      ...(module === undefined ? { path } : { module }),
    },
  ]);
  return Object.fromEntries(specs);
}

/** Of what a project has beside graphs. */
function codeSpecs({ file, dir, config }: ProjectFile): Record<string, Spec> {
  const { auth, http, store } = config;
  const named = { auth: auth?.path, app: http?.app, embed: store?.index?.embed };
  const keys = { auth: "auth.path", app: "http.app", embed: "store.index.embed" };
  const found: Record<string, Spec> = {};
  for (const part of ["auth", "app", "embed"] as const) {
    const text = named[part];
    const python = typeof text === "string" ? pythonModuleOf(text) : undefined;
    const read = python && readModuleExport(String(text), (module) => module);
    if (!python || !read) continue;
    const { file: path, module } = python;
    const place = module === undefined ? { path: resolve(dir, path) } : { module };
    found[part] = {
      where: `${file}: ${keys[part]}`,
      named: module ?? path,
      export: read.exportName,
      ...place,
    };
  }
  return found;
}

/** Why a worker ended before it had loaded anything. */
function explained(lost: WorkerLost, { printed }: PythonWorker, python: string): string {
  const missing = /No module named '(langgraph|langchain_core)[\w.]*'/.exec(printed)?.[1];
  if (missing)
    return `${python} has no ${missing.replace("_", "-")}: "${python} -m pip install langgraph" installs it`;
  const [last] = printed.trimEnd().split("\n").slice(-1);
  return [lost.message, last].filter(Boolean).join(": ");
}

/** The folders that `dependencies` names, and the sources of those that keep them in `src`. */
function localPaths({ dir, config }: ProjectFile): string[] {
  const local = (config.dependencies ?? []).filter(
    (one) => typeof one === "string" && /^\.{1,2}(?:\/|$)/.test(one),
  );
  return local.flatMap((one) => {
    const folder = resolve(dir, one);
    const sources = join(folder, "src");
    return existsSync(sources) ? [folder, sources] : [folder];
  });
}
