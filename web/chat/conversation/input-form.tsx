import { Play, Square } from "lucide-react";
import { type FormEvent, useMemo } from "react";
import { FormFields, fieldsOf, useSchemaForm } from "../../form/index.ts";
import { Button } from "../../ui/index.ts";
import { WORDS } from "./words.tsx";
import "./input-form.css";

type InputFormProps = {
  schema: Record<string, unknown>;
  busy: boolean;
  stopping: boolean;
  onRun: (input: unknown) => void;
  onStop: () => void;
};

/** Stands where messages are written, for a graph that takes something else: a form of what it takes. */
export function InputForm({ schema, busy, stopping, onRun, onStop }: InputFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const form = useSchemaForm(fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = busy ? undefined : form.read();
    if (read) onRun(read.value);
  };
  return (
    <form className="input-form" data-testid="input-form" aria-label={WORDS.input} onSubmit={submit}>
      <FormFields form={form} />
      <div className="input-form-bar">
        {busy && (
          <Button icon={<Square />} data-testid="stop" disabled={stopping} onClick={onStop}>
            {WORDS.stop}
          </Button>
        )}
        <Button look="primary" type="submit" icon={<Play />} data-testid="run-input" disabled={busy}>
          {WORDS.run}
        </Button>
      </div>
    </form>
  );
}

/** The state of such a graph, as it comes. */
export function StateView({ values }: { values: Record<string, unknown> }) {
  const entries = Object.entries(values).filter(([name, value]) => !isNothing(name, value));
  if (entries.length === 0) return null;
  return (
    <section className="state-view" data-testid="state-view" aria-label={WORDS.state}>
      <h2>{WORDS.state}</h2>
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === "string" ? <p>{value}</p> : <JsonView value={value} />}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The client adds an empty list of messages, whatever the graph has. */
const isNothing = (name: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (name === "messages" && Array.isArray(value) && value.length === 0);

function JsonView({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
  );
}
