import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Saver } from "./graph.ts";
import { mendStoreQueue } from "./store-queue.ts";

type LangGraph = typeof import("@langchain/langgraph");
type CoreMessages = typeof import("@langchain/core/messages");
type CoreCallbacks = typeof import("@langchain/core/callbacks/manager");
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
  /** Encodes for checkpoints and revives messages as this copy's classes. */
  serde: Saver["serde"];
  messagesStateReducer: LangGraph["messagesStateReducer"];
  /** Absent in a copy that knows no stream transformers. */
  convertToProtocolEvent: LangGraph["convertToProtocolEvent"] | undefined;
  zodSchemas(): Promise<ZodSchemas | undefined>;
};

/** Our own copy, which the built-in templates are made of. */
export async function ownLangGraph(): Promise<LangGraphCopy> {
  const [langgraph, messages, callbacks, about] = await Promise.all([
    import("@langchain/langgraph"),
    import("@langchain/core/messages"),
    import("@langchain/core/callbacks/manager"),
    import("@langchain/langgraph/package.json"),
  ]);
  const core = { ...messages, ...callbacks };
  return copyOf(langgraph, core, about.version, () => import("@langchain/langgraph/zod/schema"));
}

/** The copy that modules in `folder` import, or our own where none is installed for them. */
export async function langGraphOf(folder: string): Promise<LangGraphCopy> {
  const entry = resolved("@langchain/langgraph", folder);
  if (!entry) return ownLangGraph();
  const from = dirname(entry);
  const langgraph: LangGraph = await importFile(entry);
  // From LangGraph's own place: with nested installs the project itself may see another core.
  const messages: CoreMessages = await importFile(Bun.resolveSync("@langchain/core/messages", from));
  const manager = resolved("@langchain/core/callbacks/manager", from);
  const callbacks: Partial<CoreCallbacks> = manager ? await importFile(manager) : {};
  const about: { version: string } = await Bun.file(
    Bun.resolveSync("@langchain/langgraph/package.json", folder),
  ).json();
  const zod = resolved("@langchain/langgraph/zod/schema", folder);
  const core = { ...messages, ...callbacks };
  return copyOf(langgraph, core, about.version, async () => (zod ? importFile(zod) : undefined));
}

/** Imports a file of a project, also from a compiled binary, where bare paths mean files inside it. */
export function importFile(path: string) {
  return import(pathToFileURL(path).href);
}

function copyOf(
  langgraph: LangGraph,
  { AIMessageChunk, CallbackManager }: CoreMessages & Partial<CoreCallbacks>,
  version: string,
  zodSchemas: () => Promise<ZodSchemas | undefined>,
): LangGraphCopy {
  const { Command, Send, MemorySaver, messagesStateReducer } = langgraph;
  const { convertToProtocolEvent }: Partial<LangGraph> = langgraph;
  mendStoreQueue(langgraph.AsyncBatchedStore);
  // The serializer's class is not exported by LangGraph itself; each of its savers holds one.
  const { serde } = new MemorySaver();
  return {
    ...{ version, Command, Send, MemorySaver, AIMessageChunk, CallbackManager },
    ...{ serde, messagesStateReducer, convertToProtocolEvent, zodSchemas },
  };
}

function resolved(specifier: string, folder: string): string | undefined {
  try {
    return Bun.resolveSync(specifier, folder);
  } catch {
    return undefined;
  }
}
