/** As much of a JSON schema as the routes use. */
export type Schema = {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string;
  format?: string;
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  anyOf?: Schema[];
  items?: Schema | Schema[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
};

type Content = Record<string, { schema?: Schema; example?: unknown }>;

/** One operation of the API document. */
export type ApiOperation = {
  tags: string[];
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

/** What a process answers at `/openapi.json`. */
export type ApiDocument = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, Schema> };
};

/** Every operation with its method in capitals. */
export const operationsOf = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** The objects that have names, wherever in the document they stand, by name. */
export function namedObjects(document: ApiDocument): Map<string, Schema> {
  const found = new Map(Object.entries(document.components.schemas));
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (isNamed(value) && !found.has(value.title)) found.set(value.title, value);
    for (const part of Object.values(value)) visit(part);
  };
  visit(document.components.schemas);
  for (const { operation } of operationsOf(document)) {
    for (const { content } of Object.values(operation.responses)) visit(content);
    visit(operation.requestBody?.content);
  }
  return found;
}

const isNamed = (value: object): value is Schema & { title: string } =>
  "title" in value && typeof value.title === "string" && "type" in value && value.type === "object";
