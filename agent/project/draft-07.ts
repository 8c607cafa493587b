import { isRecord } from "../record.ts";

/** A JSON schema as plain data. */
export type JsonSchema = Record<string, unknown>;

/** Where a document goes to in the whole, and what goes before the names of its definitions. */
type Place = { at: string; prefix: string; definitions: JsonSchema };

/**
 * Turns what LangGraph and zod give (draft 2020-12, or documents inside one another, each with definitions
 * of its own) into one draft-07 document: all definitions at its top, all references pointing there.
 */
export function asDraft07({ properties, ...schema }: JsonSchema): JsonSchema {
  const definitions: JsonSchema = {};
  const root: Place = { at: "#", prefix: "", definitions };
  const document = embed(schema, root);
  if (isRecord(properties)) {
    const embedded = Object.entries(properties).map(([name, value]) => {
      if (!isRecord(value)) return [name, value];
      const place = "$schema" in value ? propertyPlace(name, definitions) : root;
      return [name, embed(value, place)];
    });
    document.properties = Object.fromEntries(embedded);
  }
  if (Object.keys(definitions).length > 0) document.definitions = definitions;
  return { $schema: "http://json-schema.org/draft-07/schema#", ...document };
}

function propertyPlace(name: string, definitions: JsonSchema): Place {
  const pointer = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return { at: `#/properties/${pointer}`, prefix: `${name}.`, definitions };
}

/** A document without its dialect and its definitions, which go to the place's. */
function embed({ $schema: _, $defs, definitions, ...schema }: JsonSchema, place: Place): JsonSchema {
  for (const [name, definition] of Object.entries({ ...asRecord($defs), ...asRecord(definitions) })) {
    place.definitions[place.prefix + name] = moved(definition, place);
  }
  return asRecord(moved(schema, place));
}

function moved(schema: unknown, place: Place): unknown {
  if (Array.isArray(schema)) return schema.map((part) => moved(part, place));
  if (!isRecord(schema)) return schema;
  const { prefixItems, items, ...rest } = schema;
  const said = Object.entries(Array.isArray(prefixItems) ? rest : schema);
  const result = Object.fromEntries(
    said.map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? movedReference(value, place) : moved(value, place),
    ]),
  );
  // A tuple in draft 2020-12.
  if (!Array.isArray(prefixItems)) return result;
  return { ...result, items: moved(prefixItems, place), additionalItems: moved(items ?? false, place) };
}

function movedReference(reference: string, { at, prefix }: Place): string {
  const definition = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1];
  if (definition !== undefined) return `#/definitions/${prefix}${definition}`;
  return reference.startsWith("#") ? at + reference.slice(1) : reference;
}

function asRecord(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}
