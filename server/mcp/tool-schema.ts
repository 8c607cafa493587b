type Schema = Record<string, unknown>;
/** What a tool must have for its arguments: a schema of an object. */
export type ToolSchema = Schema & { type: "object" };

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
export function toolSchema(input: Schema): ToolSchema {
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
