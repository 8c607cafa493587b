import type { Deployment } from "@berth/server";
import { type FormEvent, useState } from "react";
import { Button, TextField } from "../../../ui/index.ts";
import { Section } from "../../ui/index.ts";
import { useSave } from "./save.ts";

const FIELDS = [
  { name: "cpu", label: "Processors", step: "0.1" },
  { name: "cpu_limit", label: "Processors, at most", step: "0.1" },
  { name: "memory_mb", label: "Memory, MB", step: "1" },
  { name: "memory_limit_mb", label: "Memory at most, MB", step: "1" },
] as const;

type Values = Record<(typeof FIELDS)[number]["name"], string>;

/** What a container may use. */
export function ResourceForm({ deployment }: { deployment: Deployment }) {
  const spec = deployment.source_config.resource_spec ?? {};
  const before = Object.fromEntries(FIELDS.map(({ name }) => [name, String(spec[name] ?? "")])) as Values;
  const [values, setValues] = useState(before);
  const { save, busy } = useSave(deployment);
  const isChanged = FIELDS.some(({ name }) => values[name] !== before[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const given = FIELDS.filter(({ name }) => values[name] !== "").map(({ name }) => [
      name,
      Number(values[name]),
    ]);
    void save({ source_config: { resource_spec: { ...spec, ...Object.fromEntries(given) } } });
  };
  return (
    <Section
      title="Resources"
      note="Without a limit, twice what is given; without anything, whatever there is."
    >
      <form className="form-card" onSubmit={submit}>
        <div className="form-columns">
          {FIELDS.map(({ name, label, step }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              min={step}
              step={step}
              value={values[name]}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ))}
        </div>
        <div className="form-foot">
          <span className="form-note">Saving makes a new revision.</span>
          <Button look="primary" type="submit" disabled={!isChanged || busy}>
            Save and deploy
          </Button>
        </div>
      </form>
    </Section>
  );
}
