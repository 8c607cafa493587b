import { type KeyboardEvent, useEffect, useRef } from "react";
import { Button, classes, SelectField, TextArea, TextField } from "../ui/index.ts";
import { shown } from "./field-text.ts";
import type { FormField } from "./form-field.ts";
import { isValues } from "./form-values.ts";
import { RAW, type SchemaForm } from "./use-schema-form.ts";
import { WORDS } from "./words.ts";
import "./form.css";

type FormFieldsProps = {
  form: SchemaForm;
  /** What applies where a field is left empty. */
  defaults?: unknown;
  /** Names the JSON for who cannot see what it is about. */
  label?: string;
  /** Without the way to the JSON and back. */
  fieldsOnly?: boolean;
};

/** The fields of a form, or its JSON. Put it into a `form`, and call `read()` when that is sent. */
export function FormFields({ form, defaults, label = WORDS.input, fieldsOnly = false }: FormFieldsProps) {
  const place = useRef<HTMLDivElement>(null);
  const { refusals, fields, isRaw } = form;
  useEffect(() => {
    if (refusals > 0) place.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [refusals]);
  return (
    <div ref={place} className="form-fields">
      {isRaw ? (
        <RawField form={form} label={label} />
      ) : (
        fields.map((field) => (
          <FieldView key={field.path} field={field} form={form} fallback={ofName(defaults, field.name)} />
        ))
      )}
      {!fieldsOnly && fields.length > 0 && (
        <Button
          size="small"
          look="quiet"
          className="form-toggle"
          data-testid="form-toggle"
          onClick={form.toggle}
        >
          {isRaw ? WORDS.editAsForm : WORDS.editAsJson}
        </Button>
      )}
    </div>
  );
}

function ofName(values: unknown, name: string): unknown {
  return isValues(values) ? values[name] : undefined;
}

function RawField({ form, label }: { form: SchemaForm; label: string }) {
  const error = form.errors.get(RAW);
  return (
    <TextArea
      label={WORDS.asJson(label)}
      className="text-area form-text form-json"
      name="json"
      rows={6}
      value={form.raw}
      onChange={(event) => form.setRaw(event.target.value)}
      {...(error && { error })}
    />
  );
}

type FieldViewProps = {
  field: FormField;
  form: SchemaForm;
  /** What applies where nothing is given. */
  fallback: unknown;
};

/** One field, asked for as its type wants it. */
function FieldView({ field, form, fallback = field.schema.default }: FieldViewProps) {
  const { kind, schema, path, fields } = field;
  const label = field.required ? `${field.label} (required)` : field.label;
  if (kind === "object")
    return (
      <fieldset className="form-object">
        <legend>{label}</legend>
        {schema.description && <p className="field-hint">{schema.description}</p>}
        {fields.map((one) => (
          <FieldView key={one.path} field={one} form={form} fallback={ofName(fallback, one.name)} />
        ))}
      </fieldset>
    );
  const value = form.texts[path] ?? "";
  const setValue = (text: string) => form.setText(path, text);
  const error = form.errors.get(path);
  const words = {
    label,
    name: path || "input",
    ...(schema.description ? { hint: schema.description } : {}),
    ...(error ? { error } : {}),
  };
  if (kind === "boolean") {
    const checked = value === "" ? fallback === true : value === "true";
    return (
      <CheckField {...words} label={field.label} checked={checked} onChange={(is) => setValue(String(is))} />
    );
  }
  if (kind === "choice")
    return <SelectField {...words} value={value} options={choicesOf(field, fallback)} onChange={setValue} />;
  return <TypedField {...words} {...{ field, value, fallback }} onText={setValue} />;
}

function choicesOf({ schema }: FormField, fallback: unknown) {
  const standing = shown("choice", fallback);
  const choices = (schema.enum ?? []).map(String);
  return [
    { value: "", label: standing ? WORDS.defaultValue(standing) : WORDS.notSet },
    ...choices.map((choice) => ({ value: choice, label: choice })),
  ];
}

type TypedFieldProps = {
  label: string;
  name: string;
  hint?: string;
  error?: string;
  field: FormField;
  value: string;
  fallback: unknown;
  onText: (text: string) => void;
};

/** What the kinds want that need saying. */
const HINTS: Partial<Record<FormField["kind"], string>> = {
  list: WORDS.oneEntryPerLine,
  messages: WORDS.messageHint,
  json: WORDS.jsonHint,
};

/** A field that is typed into. */
function TypedField({ field, value, fallback, onText, ...words }: TypedFieldProps) {
  const { kind } = field;
  const common = { ...words, value, placeholder: shown(kind, fallback) };
  if (kind === "number")
    return <TextField {...common} inputMode="decimal" onChange={(event) => onText(event.target.value)} />;
  const hint = words.hint ?? HINTS[kind];
  return (
    <TextArea
      {...common}
      {...(hint && { hint })}
      className={classes("text-area form-text", kind === "json" && "form-json")}
      spellCheck={kind !== "json"}
      rows={kind === "text" ? 1 : kind === "messages" ? 2 : 4}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={kind === "text" ? sendOnEnter : undefined}
    />
  );
}

/** As where messages are written: Enter sends, Shift+Enter starts a line. */
function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

type CheckFieldProps = {
  name: string;
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
};

function CheckField({ name, label, hint, checked, onChange }: CheckFieldProps) {
  return (
    <label className="check-field">
      <input name={name} type="checkbox" checked={checked} onChange={() => onChange(!checked)} />
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </label>
  );
}
