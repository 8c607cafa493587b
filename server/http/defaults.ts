import { Kind, type TSchema } from "@sinclair/typebox";

/** Puts the defaults of a schema into a value, in place; what has another shape stays as it is. */
export type Filler = (value: unknown) => void;

/**
 * The filler of a schema, undefined where it has no defaults: of members of objects, at any depth, and of what may
 * be null instead. Not TypeBox's own: that one copies what it passes, and loses members that are called `__proto__`.
 */
export function fillerOf(schema: TSchema): Filler | undefined {
  const { [Kind]: kind, properties } = meantBy(schema);
  if (kind !== "Object") return undefined;
  const fields = Object.entries<TSchema>(properties)
    .map(([name, field]) => ({ name, fallback: fallbackOf(field), fill: fillerOf(field) }))
    .filter(({ fallback, fill }) => fallback !== undefined || fill !== undefined);
  if (fields.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return;
    for (const { name, fallback, fill } of fields) {
      if (value[name] === undefined && fallback !== undefined) value[name] = structuredClone(fallback);
      fill?.(value[name]);
    }
  };
}

const fallbackOf = (schema: TSchema): unknown => schema.default ?? meantBy(schema).default;

/** What may be null stands for what it is otherwise. */
function meantBy(schema: TSchema): TSchema {
  if (schema[Kind] !== "Union") return schema;
  const [only, ...others] = (schema.anyOf as TSchema[]).filter((branch) => branch[Kind] !== "Null");
  return only && others.length === 0 ? only : schema;
}

/** An array has a `values` and a `filter` that are no fields of anybody's. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
