import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type CompilerAnswer,
  type CompilerPlace,
  type CompilerQuestion,
  withCompiler,
  withOlderCompiler,
} from "./compiler-process.ts";
import type { GraphSpec } from "./config.ts";
import type { JsonSchema } from "./draft-07.ts";
import { importFile, resolved } from "./langgraph-copy.ts";
import { type SubgraphPlace, subgraphPlaces } from "./subgraph-places.ts";
import { type CheckedType, type Checker, type CompilerFlags, TypeSchemas } from "./type-schema.ts";

/** What TypeScript says of a graph: what its channels hold, and what a caller may configure. */
export type GraphTypes = { state: Record<string, JsonSchema>; config: Record<string, JsonSchema> };

/** By graph; and by the name of a node the channels of each graph that a source gives to a node of that name. */
export type ProjectTypes = {
  graphs: Record<string, GraphTypes>;
  nodes: Record<string, GraphTypes["state"][]>;
};

/** What is known without a compiler. */
export const NO_TYPES: ProjectTypes = { graphs: {}, nodes: {} };

/** The part of TypeScript's programming interface that is used. */
type Compiler = CompilerFlags & {
  API: new (options: {
    pipe: string;
  }) => {
    updateSnapshot(wanted: { openProjects: string[] }): Promise<{ getProjects(): readonly CheckedProject[] }>;
    close(): Promise<void>;
  };
};
type CheckedProject = {
  checker: Checker & {
    getTypeAtPosition(file: string, at: number): Promise<CheckedType | undefined>;
  };
};

/** It works beside the server, which may have the machine busy. */
const LIMIT_MS = 30_000;
const PROBE = "probe.ts";
const SETTINGS = "tsconfig.json";

/**
 * Returns what the channels of a project's graphs and subgraphs hold and what configures them, from their TypeScript
 * types. The compiler is the project's own `typescript` (5.4 or newer), otherwise Berth's own. When anything goes wrong,
 * nothing is known. The compiler is a process that ends with the call; nothing is written in the project.
 */
export async function stateTypes(
  dir: string,
  graphs: Record<string, Partial<GraphSpec>>,
  limitMs = LIMIT_MS,
): Promise<ProjectTypes> {
  try {
    const ids = Object.keys(graphs);
    const probe = probeOf(Object.values(graphs));
    const names = ids.flatMap((_, index) => [`state${index}`, `config${index}`]);
    const asked = { probe, names, places: await subgraphPlaces(graphs) };
    const { declared, places } = await ask(dir, asked, limitMs);
    const typesOf = (index: number): GraphTypes => ({
      state: declared[`state${index}`] ?? {},
      config: declared[`config${index}`] ?? {},
    });
    return {
      graphs: Object.fromEntries(ids.map((id, index) => [id, typesOf(index)])),
      nodes: byNode(asked.places, places),
    };
  } catch {
    return NO_TYPES;
  }
}

function byNode(asked: SubgraphPlace[], answered: CompilerAnswer["places"]): ProjectTypes["nodes"] {
  const found = asked.flatMap(({ node }, index) => {
    const state = answered[index];
    return state ? [{ node, state }] : [];
  });
  const nodes = Map.groupBy(found, ({ node }) => node);
  return Object.fromEntries([...nodes].map(([node, all]) => [node, all.map(({ state }) => state)]));
}

async function ask(dir: string, asked: CompilerQuestion, limitMs: number): Promise<CompilerAnswer> {
  // The executable contains no compiler: there, resolving throws.
  const packages = resolved("typescript/package.json", dir) === undefined ? import.meta.dir : dir;
  const entry = resolved("typescript/unstable/async", packages);
  if (entry === undefined) {
    const files = { [PROBE]: asked.probe, [SETTINGS]: settingsOf(dir, { olderCompiler: true }) };
    const typescript = Bun.resolveSync("typescript", packages);
    return withOlderCompiler({
      typescript,
      files,
      settings: SETTINGS,
      probe: PROBE,
      asked,
      limitMs,
    });
  }
  const compiler: Compiler = await importFile(entry);
  const files = { [PROBE]: asked.probe, [SETTINGS]: settingsOf(dir) };
  return withCompiler({ dir, packages, files }, (place) => readTypes(compiler, place, asked, limitMs));
}

async function readTypes(
  compiler: Compiler,
  { pipe, folder }: CompilerPlace,
  { probe, names, places }: CompilerQuestion,
  limitMs: number,
): Promise<CompilerAnswer> {
  const api = new compiler.API({ pipe });
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the compiler takes too long")), limitMs);
  });
  const read = async () => {
    const found: CompilerAnswer = { declared: {}, places: [] };
    const snapshot = await api.updateSnapshot({ openProjects: [join(folder, SETTINGS)] });
    const [project] = snapshot.getProjects();
    if (!project) return found;
    const { checker } = project;
    const schemas = new TypeSchemas(checker, compiler);
    for (const name of names) {
      const type = await checker.getTypeAtPosition(join(folder, PROBE), probe.indexOf(`${name}:`));
      if (type) found.declared[name] = await schemas.properties(type);
    }
    for (const { file, at } of places)
      found.places.push(await schemas.channels(await checker.getTypeAtPosition(file, at)));
    return found;
  };
  try {
    return await Promise.race([read(), late]);
  } finally {
    clearTimeout(timer);
    await api.close();
  }
}

/** A module that names the state and the configuration of each graph, whatever is exported: a builder, a graph, or what makes one. */
function probeOf(graphs: Partial<GraphSpec>[]): string {
  const imports = graphs.map(
    ({ path, exportName }, index) =>
      `import { ${exportName} as graph${index} } from ${JSON.stringify(path)};`,
  );
  const declarations = graphs.flatMap((_, index) => [
    `export declare const state${index}: State<typeof graph${index}>;`,
    `export declare const config${index}: Config<typeof graph${index}>;`,
  ]);
  return [
    ...imports,
    "type Made<T> = T extends (...given: never[]) => infer Result ? Made<Result> : Awaited<T>;",
    "type Compiled<T> = T extends { compile(...given: never[]): infer Graph } ? Graph : T;",
    "type State<T> = Compiled<Made<T>> extends { invoke(...given: never[]): Promise<infer Values> } ? Values : {};",
    "type Configurable<O> = O extends { configurable?: infer Values } ? NonNullable<Values> : {};",
    "type Given<O> = O extends { context?: infer Values } ? unknown extends Values ? Configurable<O> : NonNullable<Values> : Configurable<O>;",
    "type Config<T> = Compiled<Made<T>> extends { invoke(input: never, options?: infer Options): unknown } ? Given<NonNullable<Options>> : {};",
    ...declarations,
  ].join("\n");
}

/** The project's own settings, for a module that lies elsewhere; packages are looked up as from the project. */
function settingsOf(dir: string, { olderCompiler = false } = {}): string {
  const own = existsSync(join(dir, "tsconfig.json")) ? { extends: join(dir, "tsconfig.json") } : {};
  const compilerOptions = {
    module: "Preserve",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    // TypeScript 5 takes everything that lies in such a folder for types that a project wants.
    typeRoots: packageFolders(dir).flatMap((folder) =>
      olderCompiler ? [join(folder, "@types")] : [join(folder, "@types"), folder],
    ),
    strict: true,
    skipLibCheck: true,
    allowJs: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    composite: false,
    incremental: false,
  };
  return JSON.stringify({ ...own, compilerOptions, files: [PROBE], include: [] });
}

function packageFolders(dir: string): string[] {
  const above = dirname(dir);
  return [join(dir, "node_modules"), ...(above === dir ? [] : packageFolders(above))];
}
