import { Field } from "../../ui/index.ts";
import { valueFault } from "./item.ts";

/** The value of an item, as JSON to edit. */
export function ValueField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const fault = valueFault(value);
  return (
    <Field label="Value" {...(fault && { error: fault })}>
      {(ids) => (
        <textarea
          {...ids}
          className="text-area"
          rows={12}
          spellCheck={false}
          value={value}
          data-testid="item-value"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
