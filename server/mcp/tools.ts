import { type Agent, runnableAssistants } from "@berth/agent";
import type { Assistant } from "@berth/store";
import type { Tool } from "@modelcontextprotocol/server";
import type { Guard } from "../authorization/index.ts";
import { logger } from "../log/index.ts";
import { toolNames } from "./tool-names.ts";
import { type ToolSchema, toolSchema } from "./tool-schema.ts";

export type ToolsDeps = Pick<Agent, "assistants" | "project">;

/** The oldest assistants are tools; nobody lets a model choose among more. */
export const MOST_TOOLS = 1_000;

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
    const permitted = await guard?.ask("assistants", "search", { metadata: {} });
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
