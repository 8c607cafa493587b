/** A graph with its settings, which runs are started with. */
export type Assistant = {
  assistant_id: string;
  graph_id: string;
  name: string;
  description?: string | null;
  created_at: string;
  metadata: { created_by?: string } & Record<string, unknown>;
  context?: Record<string, unknown>;
  config?: { configurable?: Record<string, unknown> };
};

/** As much of JSON Schema as forms are drawn from. */
export type JsonSchema = {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
};

export type AssistantSchemas = {
  context_schema?: JsonSchema | null;
  config_schema?: JsonSchema | null;
};
