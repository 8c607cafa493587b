import type { FormSchema } from "../../api/index.ts";

/** How a setting is asked for, and how its text becomes a value. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "list" | "json";

/** A setting that a form asks for. */
export type FormField = {
  name: string;
  kind: FieldKind;
  label: string;
  schema: FormSchema;
  required: boolean;
};

/** Set by the server for each run: nobody's to choose. */
const OWN_KEYS = /^(__|checkpoint_|langgraph_|thread_id$|run_id$|assistant_id$|graph_id$)/;

/** The settings that a schema describes, in its order. */
export function fieldsOf(declared: Record<string, unknown> | null | undefined): FormField[] {
  if (!declared) return [];
  // Any JSON Schema has these fields, or leaves them out.
  const schema: FormSchema = declared;
  const whole = resolved(schema, schema);
  return Object.entries(whole.properties ?? {})
    .filter(([name]) => !OWN_KEYS.test(name))
    .map(([name, property]) => {
      const found = resolved(property, schema);
      const required = (whole.required?.includes(name) ?? false) && found.default === undefined;
      return { name, label: found.title ?? inWords(name), kind: kindOf(found), schema: found, required };
    });
}

/** `systemPrompt` and `system_prompt` as people write it. */
function inWords(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

function kindOf({ type, enum: choices, items }: FormSchema): FieldKind {
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
      return items?.type === "string" ? "list" : "json";
    default:
      return "json";
  }
}

/** Follows references, and leaves out that a value may also be null: an empty field says that. */
function resolved(schema: FormSchema, root: FormSchema): FormSchema {
  const { $ref, anyOf, allOf, ...own } = schema;
  if ($ref) return { ...resolved(named($ref, root), root), ...own };
  const alternatives = (anyOf ?? allOf)?.filter(({ type }) => type !== "null") ?? [];
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

/** A stored value as its field shows it. */
export function shown(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "list" && Array.isArray(value)) return value.join("\n");
  if (kind === "json") return JSON.stringify(value, null, 2);
  return String(value);
}

/** The value that a field's text stands for; empty text is no value. */
export function readField({ kind, schema }: FormField, text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {};
  switch (kind) {
    case "text":
      return { value: text };
    case "choice":
      return { value: schema.enum?.find((choice) => String(choice) === text) };
    case "boolean":
      return { value: text === "true" };
    case "list":
      return { value: text.split("\n").flatMap((line) => line.trim() || []) };
    case "number":
      return readNumber(text, schema.type === "integer");
    case "json":
      return readJson(text);
  }
}

function readNumber(text: string, whole: boolean): { value?: unknown; error?: string } {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: "This must be a number." };
  return whole && !Number.isInteger(value) ? { error: "This must be a whole number." } : { value };
}

function readJson(text: string): { value?: unknown; error?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
