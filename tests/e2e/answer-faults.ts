/** A schema of the API document, as far as answers use it. */
export type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
};

/** The named schemas of the document. */
export type Named = Record<string, Schema>;

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/**
 * What of an answer is not as its schema says. An object that declares its fields has those and no others, unless it
 * says that it takes others.
 */
export function answerFaults(value: unknown, schema: Schema, named: Named, at = ""): string[] {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined)
    return answerFaults(value, named[$ref.split("/").at(-1) ?? ""] ?? { const: "a schema" }, named, at);
  if (anyOf) {
    const faults = anyOf.map((branch) => answerFaults(value, branch, named, at));
    // The form that it comes nearest to says most.
    return faults.reduce((least, others) => (others.length < least.length ? others : least));
  }
  if ("const" in schema) return schema.const === value ? [] : [`${at}: ${JSON.stringify(value)}`];
  if (schema.enum) return schema.enum.includes(value) ? [] : [`${at}: ${JSON.stringify(value)}`];
  if (schema.type === undefined) return [];
  const isRight = schema.type === "integer" ? Number.isInteger(value) : typeOf(value) === schema.type;
  if (!isRight) return [`${at}: ${typeOf(value)}, not ${schema.type}`];
  if (Array.isArray(value))
    return value.flatMap((item) => answerFaults(item, schema.items ?? {}, named, `${at}[]`));
  return typeof value === "object" && value !== null ? fieldFaults(value, schema, named, at) : [];
}

function fieldFaults(value: object, schema: Schema, named: Named, at: string): string[] {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
  const isClosed = schema.properties !== undefined && additionalProperties === undefined;
  const rest = Object.values(patternProperties ?? {})[0] ?? {};
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name}: missing`);
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared) return answerFaults(field, declared, named, `${at}.${name}`);
    return isClosed ? [`${at}.${name}: not declared`] : answerFaults(field, rest, named, `${at}.*`);
  });
  return [...missing, ...wrong];
}
