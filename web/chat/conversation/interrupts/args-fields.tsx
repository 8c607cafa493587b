import { useState } from "react";
import { Field } from "../../../ui/index.ts";
import { isRecord } from "../content/index.ts";

type Args = Record<string, unknown>;
type ArgsFieldsProps = {
  args: Args;
  /** Gets the arguments as they stand, or undefined while they cannot be read. */
  onChange: (args: Args | undefined) => void;
};

/** Arguments to be changed: a field for each plain one, and JSON for the rest. */
export function ArgsFields({ args, onChange }: ArgsFieldsProps) {
  const [drafts, setDrafts] = useState(() => mapValues(args, asDraft));
  const [wrong, setWrong] = useState<Record<string, string | undefined>>({});
  const change = (name: string, draft: string) => {
    const next = { ...drafts, [name]: draft };
    setDrafts(next);
    const read = mapValues(next, (written, key) => readDraft(written, args[key]));
    setWrong(mapValues(read, (one) => one.wrong));
    const whole = Object.values(read).every((one) => one.wrong === undefined);
    onChange(whole ? mapValues(read, (one) => one.value) : undefined);
  };
  return (
    <div className="ask-fields">
      {Object.entries(drafts).map(([name, draft]) => (
        <Field key={name} label={name} error={wrong[name]}>
          {(ids) => (
            <textarea
              {...ids}
              className={typeof args[name] === "string" ? "text-area ask-words" : "text-area"}
              rows={1}
              value={draft}
              onChange={(event) => change(name, event.target.value)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function asDraft(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

/** A text stays a text; everything else has to be JSON again. */
function readDraft(draft: string, before: unknown): { value?: unknown; wrong?: string } {
  if (typeof before === "string") return { value: draft };
  try {
    const value: unknown = JSON.parse(draft);
    if (isRecord(before) && !isRecord(value)) return { wrong: "This has to stay a JSON object." };
    return { value };
  } catch {
    return { wrong: "This is not valid JSON." };
  }
}

function mapValues<From, To>(
  from: Record<string, From>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, map(value, key)]));
}
