import type { OpenApiDocument } from "@berth/server";
import { WORDS } from "./words.ts";

/** A JSON schema as the API document has them. */
export type ApiSchema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, ApiSchema>;
  required?: string[];
  items?: ApiSchema;
  additionalProperties?: boolean | ApiSchema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  anyOf?: ApiSchema[];
  oneOf?: ApiSchema[];
  allOf?: ApiSchema[];
};

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema?: ApiSchema;
};

/** What goes with a request, or comes back. */
export type Content = { mediaType: string; schema: ApiSchema | undefined; example: unknown };

export type ApiOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body: (Content & { isRequired: boolean; description: string }) | undefined;
  answers: { status: string; description: string; content: Content | undefined }[];
  /** Nobody needs a key for it. */
  isOpen: boolean;
};

export type ApiGroup = { name: string; description: string; operations: ApiOperation[] };

export type ApiDocument = {
  description: string;
  groups: ApiGroup[];
  /** The schemas that have a name, by what refers to them. */
  schemas: ReadonlyMap<string, ApiSchema>;
  /** Whether a request may have to name its workspace. */
  hasWorkspaces: boolean;
};

type RawContent = Record<string, { schema?: ApiSchema; example?: unknown }>;
type RawOperation = {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; description?: string; content?: RawContent };
  responses?: Record<string, { description?: string; content?: RawContent }>;
  security?: Record<string, unknown>[];
};

/** An OpenAPI 3.1 document of a Berth. */
type RawDocument = {
  info?: { description?: string };
  tags?: { name: string; description?: string }[];
  paths?: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, ApiSchema>; securitySchemes?: Record<string, unknown> };
};

/** The document as the page shows it: in groups, each with its operations in their order. */
export function readDocument(raw: OpenApiDocument): ApiDocument {
  const { info, tags = [], paths = {}, components = {} }: RawDocument = raw;
  const groups = new Map(
    tags.map(({ name, description = "" }): [string, ApiGroup] => [
      name,
      { name, description, operations: [] },
    ]),
  );
  for (const [path, methods] of Object.entries(paths))
    for (const [method, raw] of Object.entries(methods)) {
      const name = raw.tags?.[0] ?? WORDS.other;
      const group = groups.get(name) ?? { name, description: "", operations: [] };
      groups.set(name, group);
      group.operations.push(readOperation(method.toUpperCase(), path, raw));
    }
  const schemas = Object.entries(components.schemas ?? {});
  return {
    description: info?.description ?? "",
    groups: [...groups.values()].filter(({ operations }) => operations.length > 0),
    schemas: new Map(schemas.map(([name, schema]) => [`#/components/schemas/${name}`, schema])),
    hasWorkspaces: [...groups.keys()].includes("Workspaces"),
  };
}

function readOperation(method: string, path: string, raw: RawOperation): ApiOperation {
  const { requestBody } = raw;
  const sent = contentOf(requestBody?.content);
  return {
    id: raw.operationId,
    method,
    path,
    summary: raw.summary ?? "",
    description: raw.description ?? "",
    parameters: raw.parameters ?? [],
    body: sent && {
      ...sent,
      isRequired: requestBody?.required === true,
      description: requestBody?.description ?? "",
    },
    answers: Object.entries(raw.responses ?? {}).map(([status, { description = "", content }]) => ({
      status,
      description,
      content: contentOf(content),
    })),
    isOpen: raw.security?.length === 0,
  };
}

function contentOf(content: RawContent | undefined): Content | undefined {
  const [first] = Object.entries(content ?? {});
  if (!first) return undefined;
  const [mediaType, { schema, example }] = first;
  return { mediaType, schema, example };
}

/** What a reference stands for. */
export const resolved = (schema: ApiSchema, { schemas }: Pick<ApiDocument, "schemas">): ApiSchema =>
  schema.$ref === undefined ? schema : { ...schemas.get(schema.$ref), ...without$ref(schema) };

const without$ref = ({ $ref: _, ...rest }: ApiSchema): ApiSchema => rest;

/** The kind of a value, in a few words: `string (uuid)`, `array of Message`, `"keep" | "delete"`. */
export function kindOf(schema: ApiSchema, document: Pick<ApiDocument, "schemas">): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => kindOf(choice, document)))].join(" | ");
  if (schema.type === "array")
    return WORDS.arrayOf(schema.items ? kindOf(schema.items, document) : "anything");
  const type = Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type;
  return `${type ?? (schema.properties ? "object" : "anything")}${schema.format ? ` (${schema.format})` : ""}`;
}

/** The schema whose fields are worth showing below a value: its own, or those of what it lists. */
export function fieldsBelow(schema: ApiSchema, document: Pick<ApiDocument, "schemas">): ApiSchema[] {
  const whole = resolved(schema, document);
  if (Object.keys(whole.properties ?? {}).length > 0) return [whole];
  const parts = [...(whole.items ? [whole.items] : []), ...(whole.anyOf ?? whole.oneOf ?? whole.allOf ?? [])];
  return parts.flatMap((part) => fieldsBelow(part, document));
}

const DEEPEST = 4;

/** A value that fits a schema, with what it requires: something to begin with. */
export function sampleOf(schema: ApiSchema, document: Pick<ApiDocument, "schemas">, depth = 0): unknown {
  const whole = resolved(schema, document);
  if (whole.examples?.length) return whole.examples[0];
  if (whole.default !== undefined) return whole.default;
  if (whole.const !== undefined) return whole.const;
  if (whole.enum) return whole.enum[0];
  const [choice] = whole.anyOf ?? whole.oneOf ?? whole.allOf ?? [];
  if (choice) return depth < DEEPEST ? sampleOf(choice, document, depth + 1) : null;
  const type = Array.isArray(whole.type) ? whole.type[0] : whole.type;
  if (type === "string") return "";
  if (type === "number" || type === "integer") return 0;
  if (type === "boolean") return false;
  if (type === "array") return [];
  if (type === "null") return null;
  const fields = Object.entries(whole.properties ?? {}).filter(([name]) => whole.required?.includes(name));
  if (depth >= DEEPEST) return {};
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, document, depth + 1)]));
}

/** The operations in which every word occurs; groups without one are left out. */
export function matching(groups: readonly ApiGroup[], query: string): ApiGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ method, path, summary, description }: ApiOperation, group: string) => {
    const text = `${method} ${path} ${summary} ${description} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter((one) => has(one, group.name)) }))
    .filter(({ operations }) => operations.length > 0);
}
