import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CompilerPlace, withCompiler } from "./compiler-process.ts";
import type { GraphSpec } from "./config.ts";
import type { JsonSchema } from "./draft-07.ts";
import { importFile } from "./langgraph-copy.ts";
import { type CheckedType, type Checker, type Flags, TypeSchemas } from "./type-schema.ts";

/** Graph → channel → what TypeScript says that it holds. */
export type StateTypes = Record<string, Record<string, JsonSchema>>;

/** The part of TypeScript's programming interface that is used. */
type Compiler = Flags & {
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

const LIMIT_MS = 15_000;
const PROBE = "probe.ts";
const SETTINGS = "tsconfig.json";

/**
 * What the channels of a project's graphs hold, from their TypeScript types. Needs the project to have
 * `typescript` 7 installed, as a project that checks its types has; without it, and when anything at all goes
 * wrong, nothing is known. The compiler is a process that ends with it; nothing is written in the project.
 */
export async function stateTypes(
  dir: string,
  graphs: Record<string, Partial<GraphSpec>>,
): Promise<StateTypes> {
  try {
    const entry = Bun.resolveSync("typescript/unstable/async", dir);
    const compiler: Compiler = await importFile(entry);
    const probe = probeOf(Object.values(graphs));
    const files = { [PROBE]: probe, [SETTINGS]: settingsOf(dir) };
    return await withCompiler(dir, files, (place) => readTypes(compiler, place, probe, Object.keys(graphs)));
  } catch {
    return {};
  }
}

async function readTypes(
  compiler: Compiler,
  { pipe, folder }: CompilerPlace,
  probe: string,
  graphIds: string[],
): Promise<StateTypes> {
  const api = new compiler.API({ pipe });
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the compiler takes too long")), LIMIT_MS);
  });
  const read = async () => {
    const snapshot = await api.updateSnapshot({ openProjects: [join(folder, SETTINGS)] });
    const [project] = snapshot.getProjects();
    if (!project) return {};
    const schemas = new TypeSchemas(project.checker, compiler);
    const found: StateTypes = {};
    for (const [index, id] of graphIds.entries()) {
      const at = probe.indexOf(`state${index}:`);
      const type = await project.checker.getTypeAtPosition(join(folder, PROBE), at);
      if (type) found[id] = await schemas.properties(type);
    }
    return found;
  };
  try {
    return await Promise.race([read(), late]);
  } finally {
    clearTimeout(timer);
    await api.close();
  }
}

/** A module that names the state of each graph, whatever is exported: a builder, a graph, or what makes one. */
function probeOf(graphs: Partial<GraphSpec>[]): string {
  const imports = graphs.map(
    ({ path, exportName }, index) =>
      `import { ${exportName} as graph${index} } from ${JSON.stringify(path)};`,
  );
  const states = graphs.map((_, index) => `export declare const state${index}: State<typeof graph${index}>;`);
  return [
    ...imports,
    "type Made<T> = T extends (...given: never[]) => infer Result ? Made<Result> : Awaited<T>;",
    "type Compiled<T> = T extends { compile(...given: never[]): infer Graph } ? Graph : T;",
    "type State<T> = Compiled<Made<T>> extends { invoke(...given: never[]): Promise<infer Values> } ? Values : {};",
    ...states,
  ].join("\n");
}

/** The project's own settings, for a module that lies elsewhere; packages are looked up as from the project. */
function settingsOf(dir: string): string {
  const own = existsSync(join(dir, "tsconfig.json")) ? { extends: join(dir, "tsconfig.json") } : {};
  const compilerOptions = {
    module: "Preserve",
    moduleResolution: "bundler",
    lib: ["ESNext"],
    typeRoots: packageFolders(dir).flatMap((folder) => [join(folder, "@types"), folder]),
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
