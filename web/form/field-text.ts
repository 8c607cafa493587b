import type { FieldKind, FormField, FormSchema } from "./form-field.ts";
import { WORDS } from "./words.ts";

/** A stored value as its field shows it. */
export function shown(kind: FieldKind, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "list" && Array.isArray(value)) return value.join("\n");
  if (kind === "messages") return onlyWords(value) ?? inJson(value);
  if (kind === "json" || typeof value === "object") return inJson(value);
  return String(value);
}

const inJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** What a person says, where a list of messages is nothing but that. */
function onlyWords(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== 1) return undefined;
  const { type, role, content, ...rest } = Object(value[0]);
  const isPlain = typeof content === "string" && !content.trimStart().startsWith("[");
  const isPersons = (type ?? role) === "human" || (type ?? role) === "user";
  return isPlain && isPersons && Object.keys(rest).length === 0 ? content : undefined;
}

/** The value of a text, or why it is none. Neither where there is nothing. */
type ReadField = { value?: unknown; error?: string };

/** The value that a field's text stands for; empty text is no value. */
export function readField({ kind, schema }: FormField, text: string): ReadField {
  if (text.trim() === "") return {};
  switch (kind) {
    case "text":
      return fitting(text, wrongText(text, schema));
    case "choice":
      return { value: schema.enum?.find((choice) => String(choice) === text) };
    case "boolean":
      return { value: text === "true" };
    case "list": {
      const list = text.split("\n").flatMap((line) => line.trim() || []);
      return fitting(list, wrongList(list, schema));
    }
    case "messages":
      if (!text.trimStart().startsWith("[")) return { value: [{ type: "human", content: text }] };
      return readJson(text, schema);
    case "number":
      return readNumber(text, schema);
    case "object":
    case "json":
      return readJson(text, schema);
  }
}

const fitting = (value: unknown, error: string | undefined): ReadField => (error ? { error } : { value });

function readNumber(text: string, schema: FormSchema): ReadField {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: WORDS.mustBeNumber };
  if (schema.type === "integer" && !Number.isInteger(value)) return { error: WORDS.mustBeInteger };
  return fitting(value, wrongNumber(value, schema));
}

/** Reads JSON that has to have the schema's type. */
export function readJson(text: string, schema: FormSchema): ReadField {
  try {
    const value: unknown = JSON.parse(text);
    if (schema.type === "array" && !Array.isArray(value)) return { error: WORDS.mustBeJsonList };
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (schema.type === "object" && !isObject) return { error: WORDS.mustBeJsonObject };
    return fitting(value, Array.isArray(value) ? wrongList(value, schema) : undefined);
  } catch (error) {
    return { error: WORDS.invalidJson(error instanceof Error ? error.message : String(error)) };
  }
}

function wrongText(text: string, { minLength = 0, maxLength = Infinity, pattern }: FormSchema) {
  if (text.length < minLength) return WORDS.tooFewCharacters(minLength);
  if (text.length > maxLength) return WORDS.tooManyCharacters(maxLength);
  return pattern === undefined || matches(pattern, text) ? undefined : WORDS.mustMatchPattern(pattern);
}

/** A pattern that browsers cannot read is left to the server. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function wrongNumber(value: number, schema: FormSchema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && value < minimum) return WORDS.belowMinimum(minimum);
  if (maximum !== undefined && value > maximum) return WORDS.aboveMaximum(maximum);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return WORDS.mustBeMoreThan(exclusiveMinimum);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return WORDS.mustBeLessThan(exclusiveMaximum);
  return undefined;
}

function wrongList({ length }: readonly unknown[], { minItems = 0, maxItems = Infinity }: FormSchema) {
  if (length < minItems) return WORDS.tooFewEntries(minItems);
  return length > maxItems ? WORDS.tooManyEntries(maxItems) : undefined;
}
