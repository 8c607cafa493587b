import { WORDS } from "./words.ts";
/** As much of JSON Schema as forms are drawn from. */
export type FormSchema = {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  anyOf?: FormSchema[];
  oneOf?: FormSchema[];
  allOf?: FormSchema[];
  items?: FormSchema;
  properties?: Record<string, FormSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  $ref?: string;
  $defs?: Record<string, FormSchema>;
  definitions?: Record<string, FormSchema>;
};

/** How a value is asked for, and how its text becomes one. `messages` is one message as text, or a list as JSON. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "list" | "messages" | "object" | "json";

/** A value that a form asks for. */
export type FormField = {
  name: string;
  /** Its name behind those of the objects that it is in. */
  path: string;
  kind: FieldKind;
  label: string;
  schema: FormSchema;
  required: boolean;
  /** Of an object: the fields in it. */
  fields: FormField[];
};

/** The name of a field that stands for the whole value: of a graph whose input is no object. */
export const WHOLE = "";

/** Objects inside of each other beyond this are asked for as JSON. */
const DEEPEST = 3;

/** The fields that a schema describes, in its order. None where it does not say what it wants. */
export function fieldsOf(declared: Record<string, unknown> | null | undefined): FormField[] {
  if (!declared) return [];
  // Any JSON Schema has these fields, or leaves them out.
  const root: FormSchema = declared;
  const whole = resolved(root, root);
  if (whole.properties) return fieldsIn(whole, { root, path: [] });
  const kind = kindOf(whole, root);
  if (kind === "json" || kind === "object") return [];
  const label = whole.title ?? WORDS.input;
  return [{ name: WHOLE, path: WHOLE, kind, label, schema: whole, required: true, fields: [] }];
}

type FieldPlace = { root: FormSchema; path: readonly string[] };

function fieldsIn(object: FormSchema, { root, path }: FieldPlace): FormField[] {
  return Object.entries(object.properties ?? {}).map(([name, property]) => {
    const schema = resolved(property, root);
    const required = (object.required?.includes(name) ?? false) && schema.default === undefined;
    const own = [...path, name];
    const kind = kindOf(schema, root);
    const isObject = kind === "object" && own.length <= DEEPEST;
    return {
      name,
      path: own.join("/"),
      label: schema.title ?? inWords(name),
      kind: kind === "object" && !isObject ? "json" : kind,
      schema,
      required,
      fields: isObject ? fieldsIn(schema, { root, path: own }) : [],
    };
  });
}

/** `systemPrompt` and `system_prompt` as people write it. */
function inWords(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

function kindOf({ type, enum: choices, items, properties }: FormSchema, root: FormSchema): FieldKind {
  if (choices) return "choice";
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      if (isMessage(items)) return "messages";
      return items && resolved(items, root).type === "string" && !items.enum ? "list" : "json";
    case "object":
      return properties && Object.keys(properties).length > 0 ? "object" : "json";
    default:
      return "json";
  }
}

const MESSAGE = /Message(?:Chunk|Like\w*)?(?:-Input|-Output)?$/;

/** Whether a list is one of chat messages, as TypeScript and Python declare it. */
function isMessage(items: FormSchema | undefined): boolean {
  const { $ref, title, anyOf, oneOf } = items ?? {};
  if (MESSAGE.test($ref ?? title ?? "")) return true;
  const alternatives = anyOf ?? oneOf ?? [];
  return alternatives.length > 0 && alternatives.every(isMessage);
}

/** Follows references, and leaves out that a value may also be null: an empty field says that. */
function resolved(schema: FormSchema, root: FormSchema): FormSchema {
  const { $ref, anyOf, oneOf, allOf, ...own } = schema;
  if ($ref) return { ...resolved(named($ref, root), root), ...own };
  const alternatives = (anyOf ?? oneOf ?? allOf)?.filter(({ type }) => type !== "null") ?? [];
  const [first] = alternatives;
  if (first && alternatives.length === 1) return { ...resolved(first, root), ...own };
  if (alternatives.length > 1 && alternatives.every((entry) => "const" in entry))
    return { ...own, enum: alternatives.map((entry) => entry.const) };
  if (Array.isArray(own.type)) {
    const types = own.type.filter((type) => type !== "null");
    return { ...own, type: types.length === 1 ? types[0] : types };
  }
  return own;
}

function named(reference: string, { $defs, definitions }: FormSchema): FormSchema {
  const name = reference.split("/").at(-1) ?? "";
  return $defs?.[name] ?? definitions?.[name] ?? {};
}
