import { type Agent, runnableAssistants } from "@berth/agent";
import type { Assistant } from "@berth/store";
import type { Tool } from "@modelcontextprotocol/server";
import type { Guard } from "../authorization/index.ts";
import { logger } from "../log/index.ts";

type ToolsDeps = Pick<Agent, "assistants" | "project">;

/** The oldest assistants are tools; nobody lets a model choose among more. */
const MOST_TOOLS = 1_000;

const log = logger("mcp");

/** Assistants as tools. */
export class Tools {
  readonly #deps: ToolsDeps;
  /** By assistant and version, of which a schema follows: graphs do not change while a process lives. */
  #schemas = new Map<string, ToolSchema>();

  constructor(deps: ToolsDeps) {
    this.#deps = deps;
  }

  async list(guard?: Guard): Promise<Tool[]> {
    const named = await this.#named(guard);
    return Promise.all(
      [...named].map(async ([name, assistant]) => ({
        name,
        title: assistant.name,
        description: assistant.description || `Runs the assistant "${assistant.name}"`,
        inputSchema: await this.#schema(assistant),
      })),
    );
  }

  /** The assistant behind a tool. */
  async find(name: string, guard?: Guard): Promise<Assistant | undefined> {
    return (await this.#named(guard)).get(name);
  }

  async #named(guard: Guard | undefined): Promise<Map<string, Assistant>> {
    const { project } = this.#deps;
    const permitted = await guard?.listed("assistants");
    const seen = await runnableAssistants(this.#deps, permitted, MOST_TOOLS);
    return toolNames(seen.filter(({ graph_id }) => Object.hasOwn(project.graphs, graph_id)));
  }

  async #schema(assistant: Assistant): Promise<ToolSchema> {
    const key = `${assistant.assistant_id} ${assistant.version}`;
    const known = this.#schemas.get(key);
    if (known) return known;
    const schema = await this.#describe(assistant);
    if (this.#schemas.size >= MOST_TOOLS) this.#schemas = new Map();
    this.#schemas.set(key, schema);
    return schema;
  }

  /** A graph that cannot be described, say because its factory fails, does not take the other tools along. */
  async #describe({ assistant_id, graph_id, config, context }: Assistant): Promise<ToolSchema> {
    try {
      const { input_schema } = await this.#deps.project.schemas(graph_id, { ...config, context });
      return toolSchema(input_schema);
    } catch (error) {
      log.warn("tool has no schema", { assistant: assistant_id, error });
      return { type: "object" };
    }
  }
}

/** What the protocol and the models that read the names allow; the shorter of their limits. */
const LONGEST = 64;
const SUFFIX = 8;

type Named = { assistant_id: string; name: string };

/**
 * The tool names of assistants: legal, and each used once. Of those whose names come to the same, the first keeps
 * it and the others get the end of their ids behind it, so the oldest belongs in front.
 */
function toolNames<A extends Named>(assistants: readonly A[]): Map<string, A> {
  const named = new Map<string, A>();
  const later: A[] = [];
  for (const assistant of assistants) {
    const name = legal(assistant.name);
    if (named.has(name)) later.push(assistant);
    else named.set(name, assistant);
  }
  for (const assistant of later) named.set(distinct(assistant, named), assistant);
  return named;
}

function legal(name: string): string {
  const cleaned = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return cleaned.slice(0, LONGEST) || "assistant";
}

/** An id is used once, so some length of its end does, were every shorter one somebody's name. */
function distinct({ name, assistant_id }: Named, taken: ReadonlyMap<string, unknown>): string {
  const id = assistant_id.replaceAll("-", "");
  for (let length = SUFFIX; ; length += 1) {
    const suffix = `_${id.slice(-length)}`;
    const candidate = legal(name).slice(0, LONGEST - suffix.length) + suffix;
    if (!taken.has(candidate) || length >= id.length) return candidate;
  }
}

type Schema = Record<string, unknown>;
/** What a tool must have for its arguments: a schema of an object. */
type ToolSchema = Schema & { type: "object" };

/** A model writes messages as chat APIs have them; every other form that a graph takes would only confuse it. */
const messageList = {
  type: "array",
  items: {
    type: "object",
    properties: {
      role: { type: "string", enum: ["user", "assistant", "system"] },
      content: { type: "string" },
    },
    required: ["role", "content"],
  },
};

/** A graph's input schema as the arguments of a tool. */
function toolSchema(input: Schema): ToolSchema {
  const { definitions, ...schema } = input;
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const shown = Object.entries(properties).map(([name, property]) => [
    name,
    isSchema(property) && property.langgraph_type === "messages" ? asMessages(property) : property,
  ]);
  const tool = { ...schema, type: "object" as const, properties: Object.fromEntries(shown) };
  return JSON.stringify(tool).includes('"#/definitions/') ? { ...tool, definitions } : tool;
}

function asMessages({ title, description }: Schema): Schema {
  return { ...messageList, ...(title ? { title } : {}), ...(description ? { description } : {}) };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
