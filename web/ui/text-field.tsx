import { type ComponentProps, type ReactNode, useId } from "react";
import { classes } from "./classes.ts";
import { useFaultAt } from "./form.tsx";
import "./text-field.css";

type FieldWords = {
  label: string;
  /** Keeps the label for those who cannot see, where the place says enough to those who can. */
  hideLabel?: boolean;
  hint?: string;
  error?: string;
  /** What it is of the request that its form sends, as `source_config.repo_url`: a fault of that stands here. */
  of?: string;
};

/** A labelled control with its hint and what is wrong with it. The control gets the ids that tie them together. */
export function Field({
  label,
  hideLabel,
  hint,
  error: own,
  of,
  children,
}: FieldWords & {
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: true }) => ReactNode;
}) {
  const id = useId();
  const refused = useFaultAt(of);
  const error = own ?? refused.words;
  const words = error ?? hint;
  return (
    <div className="field" onInput={refused.onChanged}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : "field-label"}>
        {label}
      </label>
      {children({
        id,
        ...(words ? { "aria-describedby": `${id}-words` } : {}),
        ...(error ? { "aria-invalid": true as const } : {}),
      })}
      {words && (
        <p
          id={`${id}-words`}
          className={error ? "field-error" : "field-hint"}
          role={error ? "alert" : undefined}
        >
          {words}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = ComponentProps<"input"> & FieldWords & { icon?: ReactNode };

/** One line of text. */
export function TextField({ label, hideLabel, hint, error, of, icon, className, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error} of={of}>
      {(ids) => (
        <span className={classes("text-field", className)}>
          {icon}
          <input type="text" {...rest} {...ids} />
        </span>
      )}
    </Field>
  );
}

type TextAreaProps = ComponentProps<"textarea"> & FieldWords;

/** Several lines of text. */
export function TextArea({ label, hideLabel, hint, error, of, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error} of={of}>
      {(ids) => <textarea className="text-area" spellCheck={false} {...rest} {...ids} />}
    </Field>
  );
}

type SelectFieldProps = Omit<ComponentProps<"select">, "children" | "onChange"> &
  FieldWords & {
    options: readonly { value: string | number; label: string }[];
    onChange: (value: string) => void;
  };

/** One of a few. */
export function SelectField({
  label,
  hideLabel,
  hint,
  error,
  of,
  options,
  onChange,
  ...rest
}: SelectFieldProps) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error} of={of}>
      {(ids) => (
        <select className="select" {...rest} {...ids} onChange={(event) => onChange(event.target.value)}>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
