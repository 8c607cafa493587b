import { Field, TextField } from "../../ui/index.ts";
import { type FormField, shown } from "./field-kind.ts";

type SettingFieldProps = {
  field: FormField;
  text: string;
  onText: (text: string) => void;
  /** What applies where nothing is given. */
  fallback: unknown;
  error: string | undefined;
};

/** One setting of an assistant, asked for as its type wants it. */
export function SettingField({ field, text, onText, fallback, error }: SettingFieldProps) {
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
      <label className="check-field">
        <input name={name} type="checkbox" checked={checked} onChange={() => onText(String(!checked))} />
        <span>
          {label}
          {schema.description && <small>{schema.description}</small>}
        </span>
      </label>
    );
  }
  if (kind === "choice")
    return (
      <Field {...words}>
        {(ids) => (
          <select
            {...ids}
            name={name}
            className="select"
            value={text}
            onChange={(event) => onText(event.target.value)}
          >
            <option value="">{hint ? `Default (${hint})` : "Not set"}</option>
            {schema.enum?.map((choice) => (
              <option key={String(choice)} value={String(choice)}>
                {String(choice)}
              </option>
            ))}
          </select>
        )}
      </Field>
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
    <Field {...words} hint={words.hint ?? (kind === "list" ? "One entry per line." : "JSON.")}>
      {(ids) => (
        <textarea
          {...ids}
          {...common}
          className="text-area"
          rows={4}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}
