import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Saver } from "./graph.ts";
import { ProjectError, reason } from "./project-error.ts";
import { mendRunTrees } from "./run-trees.ts";
import { mendStoreQueue } from "./store-queue.ts";

/** The oldest that is tried (`tests/e2e/versions`). */
const OLDEST = "0.2.0";
const UPDATE = '"npm install @langchain/langgraph@latest @langchain/core@latest" installs two that fit';

type LangGraph = typeof import("@langchain/langgraph");
type CoreMessages = typeof import("@langchain/core/messages");
type CoreCallbacks = typeof import("@langchain/core/callbacks/manager");
type CoreChains = Pick<
  typeof import("@langchain/core/runnables"),
  "Runnable" | "RunnableSequence" | "RunnableMap" | "RunnableBranch"
>;
type CoreContexts = typeof import("@langchain/core/singletons");
/** Turns zod state schemas into JSON schema; copies before 1.0 may lack it. */
export type ZodSchemas = typeof import("@langchain/langgraph/zod/schema");

/**
 * The LangGraph that a project's graphs are made of. What goes into a graph (commands, sends, messages)
 * and what comes out of its checkpoints must be made by the same copy.
 */
export type LangGraphCopy = {
  version: string;
  Command: LangGraph["Command"];
  Send: LangGraph["Send"];
  MemorySaver: LangGraph["MemorySaver"];
  AIMessageChunk: CoreMessages["AIMessageChunk"];
  /** Absent in a copy that keeps it elsewhere. */
  CallbackManager: CoreCallbacks["CallbackManager"] | undefined;
  /** What chains are made of. */
  chains: Partial<CoreChains>;
  /** Encodes for checkpoints and revives messages as this copy's classes. */
  serde: Saver["serde"];
  messagesStateReducer: LangGraph["messagesStateReducer"];
  /** Absent in a copy that knows no stream transformers. */
  convertToProtocolEvent: LangGraph["convertToProtocolEvent"] | undefined;
  zodSchemas(): Promise<ZodSchemas | undefined>;
};

/** Our own copy, which the built-in templates are made of. */
export async function ownLangGraph(): Promise<LangGraphCopy> {
  const [langgraph, messages, callbacks, chains, contexts, about] = await Promise.all([
    import("@langchain/langgraph"),
    import("@langchain/core/messages"),
    import("@langchain/core/callbacks/manager"),
    import("@langchain/core/runnables"),
    import("@langchain/core/singletons"),
    import("@langchain/langgraph/package.json"),
  ]);
  const core = { ...messages, ...callbacks, ...chains, ...contexts };
  return copyOf(langgraph, core, about.version, () => import("@langchain/langgraph/zod/schema"));
}

/**
 * The copy that modules in `folder` import, or our own where none is installed for them.
 * @throws ProjectError it cannot be loaded, which is mostly for a core that is too old or too new
 */
export async function langGraphOf(folder: string): Promise<LangGraphCopy> {
  const entry = resolved("@langchain/langgraph", folder);
  if (!entry) return ownLangGraph();
  const from = dirname(entry);
  const { version } = await packageOf(entry);
  if (Bun.semver.order(version, OLDEST) < 0) {
    const why = `Berth runs it from ${OLDEST} on`;
    throw new ProjectError(`@langchain/langgraph ${version} is too old: ${why}; ${UPDATE}`);
  }
  try {
    return await copyAt(entry, version, folder);
  } catch (error) {
    throw new ProjectError(`${await misfit(entry, from)}: ${reason(error)}`, { cause: error });
  }
}

async function copyAt(entry: string, version: string, folder: string): Promise<LangGraphCopy> {
  const from = dirname(entry);
  const langgraph: LangGraph = await importFile(entry);
  // From LangGraph's own place: with nested installs the project itself may see another core.
  const messages: CoreMessages = await importFile(Bun.resolveSync("@langchain/core/messages", from));
  const callbacks = await partOf<CoreCallbacks>("@langchain/core/callbacks/manager", from);
  const chains = await partOf<CoreChains>("@langchain/core/runnables", from);
  const contexts = await partOf<CoreContexts>("@langchain/core/singletons", from);
  const zod = resolved("@langchain/langgraph/zod/schema", folder);
  const core = { ...messages, ...callbacks, ...chains, ...contexts };
  return copyOf(langgraph, core, version, async () => (zod ? importFile(zod) : undefined));
}

/** A part of a package that not every version has. */
async function partOf<Part>(specifier: string, folder: string): Promise<Partial<Part>> {
  const entry = resolved(specifier, folder);
  return entry ? await importFile(entry) : {};
}

type Package = { name: string; version: string; peerDependencies?: Record<string, string> };

/** The `package.json` of the package that a file belongs to: not every version exports it. */
async function packageOf(file: string): Promise<Package> {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const found = Bun.file(join(folder, "package.json"));
    // Builds for one module system have a `package.json` of two lines.
    const read: Partial<Package> = (await found.exists()) ? await found.json() : {};
    if (read.name && read.version) return { ...read, name: read.name, version: read.version };
  }
  throw new ProjectError(`${file} belongs to no package`);
}

/** Begins the message of a LangGraph that cannot be loaded: which versions are there, and what they ask for. */
async function misfit(entry: string, from: string): Promise<string> {
  const langgraph = await packageOf(entry);
  const core = resolved("@langchain/core/messages", from);
  if (!core) return `@langchain/langgraph ${langgraph.version} is installed without @langchain/core`;
  const { version } = await packageOf(core);
  const saver = resolved("@langchain/langgraph-checkpoint", from);
  const packages = [langgraph, ...(saver ? [await packageOf(saver)] : [])];
  const asks = packages.flatMap(({ name, version: own, peerDependencies = {} }) => {
    const range = peerDependencies["@langchain/core"];
    return range && !Bun.semver.satisfies(version, range) ? [`${name} ${own} needs ${range}`] : [];
  });
  const why = asks.length > 0 ? ` (${asks.join(", ")})` : "";
  return `@langchain/langgraph ${langgraph.version} cannot be loaded with @langchain/core ${version}${why}; ${UPDATE}`;
}

/** Imports a file of a project, also from a compiled binary, where bare paths mean files inside it. */
export function importFile(path: string) {
  return import(pathToFileURL(path).href);
}

function copyOf(
  langgraph: LangGraph,
  core: CoreMessages & Partial<CoreCallbacks & CoreChains & CoreContexts>,
  version: string,
  zodSchemas: () => Promise<ZodSchemas | undefined>,
): LangGraphCopy {
  const { AIMessageChunk, CallbackManager, Runnable, RunnableSequence, RunnableMap, RunnableBranch } = core;
  const { Command, Send, MemorySaver, messagesStateReducer } = langgraph;
  const { convertToProtocolEvent }: Partial<LangGraph> = langgraph;
  mendStoreQueue(langgraph.AsyncBatchedStore);
  mendRunTrees(core.AsyncLocalStorageProviderSingleton);
  // The serializer's class is not exported by LangGraph itself; each of its savers holds one.
  const { serde } = new MemorySaver();
  return {
    ...{ version, Command, Send, MemorySaver, AIMessageChunk, CallbackManager },
    chains: { Runnable, RunnableSequence, RunnableMap, RunnableBranch },
    ...{ serde, messagesStateReducer, convertToProtocolEvent, zodSchemas },
  };
}

/** Where a package is for modules in `folder`; undefined where it is not. */
export function resolved(specifier: string, folder: string): string | undefined {
  try {
    return Bun.resolveSync(specifier, folder);
  } catch {
    return undefined;
  }
}
