import { readField, shown } from "./field-text.ts";
import { type FormField, WHOLE } from "./form-field.ts";
import { WORDS } from "./words.ts";

/** What is typed, by the paths of the fields. */
export type FieldTexts = Readonly<Record<string, string>>;

/** What the fields say together, and what is wrong, by the paths of the fields. */
type FormRead = { value: unknown; errors: ReadonlyMap<string, string> };

type Values = Readonly<Record<string, unknown>>;

/** A value as the fields show it. */
export function textsOf(fields: readonly FormField[], value: unknown): FieldTexts {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const own = field.name === WHOLE ? value : isValues(value) ? value[field.name] : undefined;
      if (field.kind === "object") return Object.entries(textsOf(field.fields, own));
      return [[field.path, shown(field.kind, own)]];
    }),
  );
}

/**
 * The value that the fields' texts make up.
 * @param base has what no field asks for, which stays
 */
export function readFields(fields: readonly FormField[], texts: FieldTexts, base: unknown): FormRead {
  const errors = new Map<string, string>();
  const [first] = fields;
  if (first?.name === WHOLE) return { value: readOne(first, texts, base, errors), errors };
  return { value: readObject(fields, texts, base, errors) ?? {}, errors };
}

/** An object that says nothing is not there at all. */
function readObject(
  fields: readonly FormField[],
  texts: FieldTexts,
  base: unknown,
  errors: Map<string, string>,
): Values | undefined {
  const value: Record<string, unknown> = isValues(base) ? { ...base } : {};
  for (const field of fields) {
    const own = readOne(field, texts, value[field.name], errors);
    if (own === undefined) delete value[field.name];
    else value[field.name] = own;
  }
  return Object.keys(value).length > 0 ? value : undefined;
}

function readOne(field: FormField, texts: FieldTexts, base: unknown, errors: Map<string, string>): unknown {
  const { kind, path, required } = field;
  if (kind === "object") return readNested(field, texts, base, errors);
  const { value, error } = readField(field, texts[path] ?? "");
  // A box that was never touched says no.
  if (value === undefined && kind === "boolean" && required) return false;
  if (error) errors.set(path, error);
  else if (value === undefined && required) errors.set(path, NEEDED);
  return value;
}

/** What an object needs is needed only where there is something of it. */
function readNested(
  field: FormField,
  texts: FieldTexts,
  base: unknown,
  errors: Map<string, string>,
): unknown {
  const wrong = new Map<string, string>();
  const own = readObject(field.fields, texts, base, wrong);
  const isTouched =
    field.required || [...leaves(field)].some(({ path }) => (texts[path] ?? "").trim() !== "");
  if (isTouched) for (const [path, words] of wrong) errors.set(path, words);
  if (own !== undefined && isTouched) return own;
  return field.required ? {} : undefined;
}

function* leaves(field: FormField): Generator<FormField> {
  if (field.kind !== "object") yield field;
  for (const one of field.fields) yield* leaves(one);
}

/** Said of an empty field that must not be empty. */
export const NEEDED = WORDS.required;

/** Whether a value is an object with named fields. */
export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
