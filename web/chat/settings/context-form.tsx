import type { Assistant } from "@berth/server";
import { type FormEvent, useId, useState } from "react";
import type { AssistantSchemas } from "../../api/index.ts";
import { Button, Dialog, SelectField, Spinner, TextArea, TextField } from "../../ui/index.ts";
import { type FormField, fieldsOf, readField, shown } from "./field-kind.ts";
import { whyNoSettings } from "./thread-settings.ts";
import "./settings.css";

type Values = Record<string, unknown>;

type ContextFormProps = {
  assistant: Assistant;
  schemas: AssistantSchemas | Error | undefined;
  context: Values;
  configurable: Values;
  onSave: (change: { context: Values; configurable: Values }) => void;
  onClose: () => void;
};

/** The settings that an assistant's graph declares, for one conversation. */
export function ContextForm({ assistant, schemas, onClose, ...rest }: ContextFormProps) {
  if (schemas && !(schemas instanceof Error))
    return <SettingsDialog assistant={assistant} schemas={schemas} onClose={onClose} {...rest} />;
  return (
    <Dialog title="Settings" onClose={onClose} testId="context-form">
      {schemas ? (
        <p role="alert">{whyNoSettings(schemas) ?? `The settings could not be read: ${schemas.message}`}</p>
      ) : (
        <Spinner label="Loading" />
      )}
    </Dialog>
  );
}

type SettingsDialogProps = ContextFormProps & { schemas: AssistantSchemas };

function SettingsDialog({ assistant, schemas, context, configurable, onSave, onClose }: SettingsDialogProps) {
  const formId = useId();
  const contextFields = fieldsOf(schemas.context_schema);
  const inContext = new Set(contextFields.map(({ name }) => name));
  const configFields = fieldsOf(schemas.config_schema).filter(({ name }) => !inContext.has(name));
  const contextPart = useFieldTexts(contextFields, context);
  const configPart = useFieldTexts(configFields, configurable);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys({ ...contextPart.errors, ...configPart.errors }).length > 0) return;
    onSave({ context: contextPart.values, configurable: configPart.values });
    onClose();
  };
  const isEmpty = contextFields.length + configFields.length === 0;
  return (
    <Dialog
      title={`Settings of ${assistant.name}`}
      look="wide"
      onClose={onClose}
      testId="context-form"
      actions={
        <>
          <Button onClick={onClose}>{isEmpty ? "Close" : "Cancel"}</Button>
          {!isEmpty && (
            <Button look="primary" type="submit" form={formId} data-testid="context-save">
              Save
            </Button>
          )}
        </>
      }
    >
      <form id={formId} className="context-form" onSubmit={submit}>
        <p className="context-form-intro">
          {isEmpty
            ? "This assistant's graph declares no settings."
            : "For this conversation only. An empty field leaves the assistant's own value."}
        </p>
        <Fields title="Context" part={contextPart} fields={contextFields} defaults={assistant.context} />
        <Fields
          title="Configuration"
          part={configPart}
          fields={configFields}
          defaults={assistant.config?.configurable}
        />
      </form>
    </Dialog>
  );
}

type FieldTexts = ReturnType<typeof useFieldTexts>;

/** What is typed into some fields, the values that it means, and what is wrong with it. */
function useFieldTexts(fields: readonly FormField[], stored: Values) {
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name, kind }) => [name, shown(kind, stored[name])])),
  );
  const values: Values = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const { value, error } = readField(field, texts[field.name] ?? "");
    if (error) errors[field.name] = error;
    else if (value !== undefined) values[field.name] = value;
  }
  const setText = (name: string, text: string) => setTexts((before) => ({ ...before, [name]: text }));
  return { texts, setText, values, errors };
}

type FieldsProps = {
  title: string;
  part: FieldTexts;
  fields: readonly FormField[];
  defaults: Values | undefined;
};

function Fields({ title, part, fields, defaults }: FieldsProps) {
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      {fields.map((field) => (
        <SettingField
          key={field.name}
          field={field}
          text={part.texts[field.name] ?? ""}
          onText={(text) => part.setText(field.name, text)}
          fallback={defaults?.[field.name] ?? field.schema.default}
          error={part.errors[field.name]}
        />
      ))}
    </>
  );
}

type SettingFieldProps = {
  field: FormField;
  text: string;
  onText: (text: string) => void;
  /** What applies where nothing is given. */
  fallback: unknown;
  error: string | undefined;
};

/** One setting of an assistant, asked for as its type wants it. */
function SettingField({ field, text, onText, fallback, error }: SettingFieldProps) {
  const { kind, label, schema, name, required } = field;
  const words = {
    label: required ? `${label} (required)` : label,
    ...(schema.description ? { hint: schema.description } : {}),
    ...(error ? { error } : {}),
  };
  const hint = shown(kind, fallback);
  if (kind === "boolean") {
    const checked = text === "" ? fallback === true : text === "true";
    return (
      <CheckField
        {...{ name, label, checked }}
        hint={schema.description}
        onChange={(is) => onText(String(is))}
      />
    );
  }
  if (kind === "choice")
    return (
      <SelectField
        {...words}
        name={name}
        value={text}
        options={[
          { value: "", label: hint ? `Default (${hint})` : "Not set" },
          ...(schema.enum ?? []).map((choice) => ({ value: String(choice), label: String(choice) })),
        ]}
        onChange={onText}
      />
    );
  const common = { name, placeholder: hint, value: text };
  if (kind === "text" || kind === "number")
    return (
      <TextField
        {...words}
        {...common}
        inputMode={kind === "number" ? "decimal" : "text"}
        onChange={(event) => onText(event.target.value)}
      />
    );
  return (
    <TextArea
      {...words}
      {...common}
      spellCheck
      hint={words.hint ?? (kind === "list" ? "One entry per line." : "JSON.")}
      rows={4}
      onChange={(event) => onText(event.target.value)}
    />
  );
}

type CheckFieldProps = {
  name: string;
  label: string;
  hint: string | undefined;
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
