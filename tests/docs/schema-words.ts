import type { Schema } from "./document.ts";
import { anchorOf, code } from "./markdown.ts";

/** Where the objects that have names are, seen from the page that speaks of them. */
export type Objects = { known: ReadonlyMap<string, Schema>; page: string };

/** What a value is, in words; named objects are links. */
export function words(schema: Schema, objects: Objects): string {
  const name = nameOf(schema);
  if (name !== undefined && objects.known.has(name)) return `[${name}](${objects.page}#${anchorOf(name)})`;
  if (schema.anyOf) return oneOfWords(schema.anyOf, objects);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(", ");
  if (schema.type === "array") return `list of ${words(itemOf(schema), objects)}`;
  if (schema.type === "object") return objectWords(schema, objects);
  if (schema.type === "string") return STRINGS[schema.format ?? ""] ?? "text";
  if (schema.type === "integer") return `whole number${rangeOf(schema)}`;
  if (schema.type === "number") return `number${rangeOf(schema)}`;
  return schema.type === "boolean" ? "boolean" : schema.type === "null" ? "null" : "anything";
}

const literal = (value: unknown) => code(typeof value === "string" ? value : JSON.stringify(value));

const STRINGS: Record<string, string> = {
  uuid: "UUID",
  "date-time": "time",
  moment: "time",
  binary: "bytes",
};

const nameOf = ({ $ref, title, type }: Schema) =>
  $ref?.split("/").at(-1) ?? (type === "object" ? title : undefined);

/** What a list is made of; of a tuple, anything. */
export const itemOf = ({ items }: Schema): Schema => (items && !Array.isArray(items) ? items : {});

function oneOfWords(forms: Schema[], objects: Objects): string {
  const each = forms.flatMap(({ anyOf, ...form }) => anyOf ?? [form]).map((form) => words(form, objects));
  const [one, other] = each;
  // What stands for one of it, or many.
  const shown = other === `list of ${one}` ? [`${one}; or a list of these`, ...each.slice(2)] : each;
  return [...new Set(shown)].join(" or ");
}

function objectWords({ properties, patternProperties }: Schema, objects: Objects): string {
  if (properties && Object.keys(properties).length > 0) return "object";
  const [value = {}] = Object.values(patternProperties ?? {});
  const of = words(value, objects);
  return of === "anything" ? "object" : `object of ${of}`;
}

/** Of a whole number that can be anything, nothing is said. */
function rangeOf({ minimum, maximum }: Schema): string {
  const most = maximum === undefined || maximum >= 2 ** 31 ? undefined : maximum;
  if (minimum !== undefined && most !== undefined) return `, ${minimum} to ${most.toLocaleString("en")}`;
  return minimum !== undefined && minimum > 0 ? `, ${minimum} or more` : "";
}

/** Deeper ones are only named by the object that they are in. */
const DEEPEST = 3;

/** A row for each field, those of objects without a name among them: `config.tags`. */
export function fieldRows(schema: Schema, objects: Objects, path = "", depth = 1): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const full = `${path}${name}`;
    const inner = depth < DEEPEST ? innerOf(field) : undefined;
    const below = inner ? fieldRows(inner.schema, objects, `${full}${inner.mark}.`, depth + 1) : [];
    const isNeeded = schema.required?.includes(name) ?? false;
    return [[code(full), words(field, objects), isNeeded ? "yes" : "", meaningOf(field)], ...below];
  });
}

/** The fields of an object without a name, of each of a list, or of one that may be null. */
function innerOf(field: Schema): { schema: Schema; mark: string } | undefined {
  const form = formOf(field);
  if (nameOf(form) !== undefined) return undefined;
  if (form.type === "object" && form.properties) return { schema: form, mark: "" };
  const item = formOf(itemOf(form));
  const isList = form.type === "array" && nameOf(item) === undefined && item.properties !== undefined;
  return isList ? { schema: item, mark: "[]" } : undefined;
}

/** What a field is when it is not null. */
function formOf(field: Schema): Schema {
  const forms = field.anyOf?.filter(({ type }) => type !== "null");
  return forms?.length === 1 && forms[0] ? forms[0] : field;
}

function meaningOf(field: Schema): string {
  const said = field.description ?? formOf(field).description ?? "";
  const usual = field.default === undefined ? "" : `Default ${code(JSON.stringify(field.default))}.`;
  return [said, usual].filter(Boolean).join(" ");
}
