import { Kind, type TSchema } from "@sinclair/typebox";

/** Takes out of a value what its schema does not name, in place. */
export type Pruner = (value: unknown) => void;

/**
 * The pruner of a schema; undefined where everything stays: a dictionary, what may be anything, and an object that
 * says `additionalProperties: true`. So a handler that passes a body on passes on what is declared, and nothing else.
 * Where an object may have one of several forms, a field of any of them stays.
 */
export function prunerOf(schema: TSchema): Pruner | undefined {
  const forms = formsOf(schema);
  const objects = forms.filter((form) => form[Kind] === "Object");
  const lists = forms.filter((form) => form[Kind] === "Array");
  const ofObject = forms.some(isFree) ? undefined : objectPruner(objects);
  const ofItems = lists.length === 1 && lists[0] ? prunerOf(lists[0].items) : undefined;
  if (!ofObject && !ofItems) return undefined;
  return (value) => {
    if (Array.isArray(value)) for (const item of ofItems ? value : []) ofItems?.(item);
    else if (isObject(value)) ofObject?.(value);
  };
}

/** What a value may be, one by one. */
function formsOf(schema: TSchema): TSchema[] {
  if (schema[Kind] === "Union") return (schema.anyOf as TSchema[]).flatMap(formsOf);
  return [schema];
}

/** Whether any object fits it, with whatever fields. */
function isFree(schema: TSchema): boolean {
  const kind = schema[Kind];
  if (kind === "Object") return schema.additionalProperties === true;
  return !PLAIN.has(kind);
}

/** No object is one of these. Of any other kind nothing is known: it stays as it is. */
const PLAIN = new Set(["Array", "Boolean", "Integer", "Literal", "Null", "Number", "String", "Tuple"]);

function objectPruner(forms: TSchema[]): ((value: Record<string, unknown>) => void) | undefined {
  if (forms.length === 0) return undefined;
  const fields = forms.flatMap((form) => Object.entries<TSchema>(form.properties));
  const known = new Set(fields.map(([name]) => name));
  // A field that two forms have may be something else in each.
  const inside = fields.flatMap(([name, field]) => {
    const isShared = fields.filter(([other]) => other === name).length > 1;
    const prune = isShared ? undefined : prunerOf(field);
    return prune ? [{ name, prune }] : [];
  });
  return (value) => {
    for (const name of Object.keys(value)) if (!known.has(name)) delete value[name];
    for (const { name, prune } of inside) prune(value[name]);
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
