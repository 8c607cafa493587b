import { OptionalKind, type TObject, type TSchema } from "@sinclair/typebox";
import { isOpen, type Policy } from "../access/index.ts";
import { type Answer, type Operation, unknownFieldsOf } from "./operation.ts";
import type { Mounted, OperationTable } from "./operation-table.ts";

/** An OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.0); plain JSON. */
export type OpenApiDocument = Record<string, unknown>;

const error = { $ref: "#/components/schemas/Error" };
const validationError = { $ref: "#/components/schemas/HTTPValidationError" };
/** The workspace is a choice among those of a key or token, which has to come with it. */
const controlPlaneSecurity = [
  { ApiKey: [] },
  { ApiKey: [], TenantId: [] },
  { Bearer: [] },
  { Bearer: [], TenantId: [] },
];

const description = `A self-hosted home for LangGraph agents: assistants, threads, runs and a store, as LangGraph's clients know them.

A server that has keys wants one with every request but \`/ok\`: as \`X-Api-Key\`, or as a bearer token. Where deployments are managed, \`X-Tenant-Id\` names the workspace for keys that are good for several.
Whatever fails is answered with \`{"detail": …}\`; with 422, \`detail\` lists every field that is wrong.`;

/** Of the contract that the routes keep to ("LangSmith Deployment" 0.1.0), whatever the version of Berth is. */
const CONTRACT_VERSION = "0.1.0";

/** What routes do not say themselves. */
type DocumentOptions = {
  /** The groups, in order; those that are not named come last. */
  tags: readonly { name: string; description: string }[];
  /** Bodies by operation (`POST /threads/{thread_id}/runs`). */
  examples: Readonly<Record<string, unknown>>;
};

/** Describes every mounted operation but those that only our own pages ask for, in the order of mounting. */
export function openApiDocument(table: OperationTable, { tags, examples }: DocumentOptions): OpenApiDocument {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  const listed = table.mounted.filter(({ operation, isTwin }) => !isTwin && operation.spec.unlisted !== true);
  for (const mounted of listed) {
    const path = mounted.path.replaceAll(/:(\w+)/g, "{$1}");
    const example = examples[`${mounted.method} ${path}`];
    const described = operationObject(mounted, components, example);
    paths[path] = { ...paths[path], [mounted.method.toLowerCase()]: described };
  }
  const used = new Set(listed.map(({ operation }) => operation.spec.tag));
  const known = tags.filter(({ name }) => used.delete(name));
  return {
    openapi: "3.1.0",
    info: { title: "Berth", version: CONTRACT_VERSION, description },
    servers: [{ url: "/" }],
    security: [{ ApiKey: [] }, { Bearer: [] }],
    tags: [...known, ...[...used].map((name) => ({ name }))],
    paths,
    components: {
      securitySchemes: {
        ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
        TenantId: {
          type: "apiKey",
          in: "header",
          name: "X-Tenant-Id",
          description: "The workspace that a request is about, where its key is good for several.",
        },
        Bearer: { type: "http", scheme: "bearer" },
      },
      schemas: { ...errorSchemas, ...components.schemas },
    },
  };
}

function operationObject({ method, path, operation }: Mounted, components: Components, example: unknown) {
  const { spec } = operation;
  return {
    operationId: spec.id ?? `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+/g, "_")}`,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...securityOf(spec.access),
    parameters: [
      ...parameters("path", spec.params, components),
      ...parameters("query", spec.query, components),
      ...Object.entries(spec.headers ?? {}).map(([name, means]) => headerParameter(name, means)),
    ],
    requestBody: spec.rawBody ? rawBody(spec.rawBody, example) : requestBody(spec, components, example),
    responses: responses(operation, components),
  };
}

function securityOf(policy: Policy) {
  if (isOpen(policy)) return { security: [] };
  return policy.owner === "instance" ? { security: controlPlaneSecurity } : {};
}

function parameters(place: "path" | "query", schema: TObject | undefined, components: Components) {
  if (schema === undefined) return [];
  return Object.entries(schema.properties).map(([name, field]) => {
    const { description, explode, ...plain } = components.plain(field);
    const isRequired = schema.required?.includes(name) === true && field.default === undefined;
    return {
      name,
      in: place,
      required: place === "path" || isRequired,
      description,
      ...(explode === undefined ? {} : { explode }),
      schema: plain,
    };
  });
}

const headerParameter = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const rawBody = (
  { mediaType, description }: { mediaType: string; description: string },
  example: unknown,
) => ({
  required: true,
  description,
  content: {
    [mediaType]: mediaType === "application/json" ? { schema: { type: "object" }, example } : {},
  },
});

function requestBody(spec: Operation["spec"], components: Components, example: unknown) {
  const { body: schema, mayBeEmpty } = spec;
  if (schema === undefined) return undefined;
  const plain = components.plain(schema);
  // Beside a reference, unlike `additionalProperties`.
  const described = unknownFieldsOf(spec) === "rejected" ? { ...plain, unevaluatedProperties: false } : plain;
  const content = { "application/json": { schema: described, example } };
  return { required: !mayBeEmpty && schema[OptionalKind] !== "Optional", content };
}

function responses({ spec }: Operation, components: Components) {
  const described: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries(spec.answers))
    described[status] = responseObject(Number(status), answer, components);
  if (spec.access.asks !== "nobody") {
    described["401"] ??= failure("No valid API key");
    described["403"] ??= failure("The caller may not do this");
  }
  if (spec.body !== undefined || spec.rawBody !== undefined)
    described["413"] ??= failure("The body is too large");
  if (spec.startsRun !== undefined) described["503"] ??= failure("The server is stopping");
  if (spec.params !== undefined || spec.query !== undefined || spec.body !== undefined)
    described["422"] ??= failure("Fields are wrong; the answer names all of them", validationError);
  return described;
}

function responseObject(status: number, answer: Answer, components: Components) {
  const { description, schema, mediaType } =
    typeof answer === "string" ? { description: answer, schema: undefined, mediaType: undefined } : answer;
  if (status >= 400 && schema === undefined) return failure(description);
  if (schema === undefined && mediaType === undefined) return { description };
  const media = schema === undefined ? {} : { schema: components.plain(schema) };
  return { description, content: { [mediaType ?? "application/json"]: media } };
}

function failure(description: string, schema: Record<string, unknown> = error) {
  return { description, content: { "application/json": { schema } } };
}

const errorSchemas = {
  Error: { type: "object", required: ["detail"], properties: { detail: { type: "string" } } },
  HTTPValidationError: {
    type: "object",
    required: ["detail"],
    properties: {
      detail: { type: "array", items: { $ref: "#/components/schemas/ValidationError" } },
      message: { type: "string", description: "The first faults as a text, for clients that show one." },
    },
  },
  ValidationError: {
    type: "object",
    required: ["loc", "msg", "type"],
    properties: {
      loc: { type: "array", items: { type: ["string", "integer"] } },
      msg: { type: "string" },
      type: { type: "string" },
      input: {},
      ctx: { type: "object" },
    },
  },
};

type Plain = Record<string, unknown>;

/** Collects the schemas that have a name (`$id`), so that the document spells each of them once. */
class Components {
  readonly schemas: Record<string, Plain> = {};

  /** `schema` as the document shows it: named parts as references, choices of words as `enum`. */
  plain(schema: TSchema): Plain {
    const { $id, ...rest } = schema;
    if ($id === undefined) return this.#object(rest);
    if (this.schemas[$id] === undefined) {
      this.schemas[$id] = {};
      this.schemas[$id] = this.#object(rest);
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  #object(schema: Plain): Plain {
    const { anyOf, ...others } = schema;
    const words = wordsOf(anyOf);
    if (words !== undefined) return { type: "string", enum: words, ...others };
    return withoutDefaulted(Object.fromEntries(Object.entries(schema).map(([k, v]) => [k, this.#value(v)])));
  }

  #value(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isPlain(value)) return value;
    return typeof value.$id === "string" ? this.plain(value as TSchema) : this.#object(value);
  }
}

/** The words of a union of string literals, which other tools understand better as an `enum`. */
function wordsOf(anyOf: unknown): string[] | undefined {
  if (!Array.isArray(anyOf) || anyOf.length === 0) return undefined;
  const words = anyOf.map((branch: unknown) => (isPlain(branch) ? branch.const : undefined));
  return words.every((word) => typeof word === "string") ? words : undefined;
}

/** TypeBox counts a field with a default as required, for it is there once the default is; a sender may leave it out. */
function withoutDefaulted(schema: Plain): Plain {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isPlain(properties)) return schema;
  const kept = required.filter((name: string) => {
    const field = properties[name];
    return !(isPlain(field) && "default" in field);
  });
  const { required: _, ...others } = schema;
  return kept.length === 0 ? others : { ...others, required: kept };
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
