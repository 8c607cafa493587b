import { useCallback, useMemo, useState } from "react";
import { readJson } from "./field-text.ts";
import { type FormField, WHOLE } from "./form-field.ts";
import { type FieldTexts, isValues, NEEDED, readFields, textsOf } from "./form-values.ts";

/** A form that is being filled in: as fields, or as JSON where somebody wants that or there are no fields. */
export type SchemaForm = {
  fields: readonly FormField[];
  isRaw: boolean;
  texts: FieldTexts;
  raw: string;
  /** What is wrong, by the paths of the fields; `RAW` for the JSON. What is only missing is told after a `read`. */
  errors: ReadonlyMap<string, string>;
  /** How often a `read` found something wrong; the first such field takes the focus then. */
  refusals: number;
  setText: (path: string, text: string) => void;
  setRaw: (raw: string) => void;
  /** Changes between fields and JSON, and takes the value along. Stays where the JSON cannot be read. */
  toggle: () => void;
  /** The value as it stands; nothing where something is wrong with it, which is shown from then on. */
  read: () => { value: unknown } | undefined;
  /** Begins anew with another value. */
  reset: (value?: unknown) => void;
};

/** Under which the error of the JSON is. */
export const RAW = "(json)";

type Typed = { isRaw: boolean; texts: FieldTexts; raw: string; base: unknown };

/**
 * What is typed into the fields of a schema, and the value that it means.
 * @param fields keep the same list as long as the schema is the same
 */
export function useSchemaForm(fields: readonly FormField[], initial?: unknown): SchemaForm {
  const [typed, setTyped] = useState<Typed>(() => begun(fields, initial));
  const [refusals, setRefusals] = useState(0);
  const { value, errors } = useMemo(() => readTyped(fields, typed), [fields, typed]);
  const visible = useMemo(
    () => (refusals > 0 ? errors : new Map([...errors].filter(([, words]) => words !== NEEDED))),
    [errors, refusals],
  );
  const setText = useCallback(
    (path: string, text: string) =>
      setTyped((before) => ({ ...before, texts: { ...before.texts, [path]: text } })),
    [],
  );
  const setRaw = useCallback((raw: string) => setTyped((before) => ({ ...before, raw })), []);
  const reset = useCallback(
    (next?: unknown) => {
      setTyped(begun(fields, next));
      setRefusals(0);
    },
    [fields],
  );
  const refuse = () => setRefusals((before) => before + 1);
  const toggle = () => {
    const isReadable = typed.isRaw && !errors.has(RAW) && canShow(fields, value);
    if (!typed.isRaw) setTyped({ ...typed, isRaw: true, raw: inJson(value) });
    else if (isReadable) setTyped(begun(fields, value));
    else refuse();
  };
  const read = () => {
    if (errors.size === 0) return { value };
    refuse();
    return undefined;
  };
  const { isRaw, texts, raw } = typed;
  return { fields, isRaw, texts, raw, errors: visible, refusals, setText, setRaw, toggle, read, reset };
}

const begun = (fields: readonly FormField[], value: unknown): Typed => ({
  isRaw: fields.length === 0 || !canShow(fields, value),
  texts: textsOf(fields, value),
  raw: inJson(value ?? {}),
  base: value,
});

const inJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "";

/** Whether fields can show a value: a list has no named ones. */
function canShow([first]: readonly FormField[], value: unknown): boolean {
  return value === undefined || value === null || first?.name === WHOLE || isValues(value);
}

function readTyped(fields: readonly FormField[], { isRaw, texts, raw, base }: Typed) {
  if (!isRaw) return readFields(fields, texts, base);
  const { value, error } = raw.trim() === "" ? { error: NEEDED } : readJson(raw, {});
  return { value, errors: new Map(error ? [[RAW, error]] : []) };
}
