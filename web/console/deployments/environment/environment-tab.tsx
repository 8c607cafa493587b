import type { Deployment } from "@berth/server";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../../ui/index.ts";
import { api, useAction } from "../../data/index.ts";
import { pathOf } from "../../deployment/index.ts";
import { Section } from "../../ui/index.ts";
import { changesIn, faultIn, type Row, rowsOf, secretsOf } from "./secret-rows.ts";
import { SecretTable } from "./secret-table.tsx";

/** The environment of a deployment's processes: what it has, and what it is to have. */
export function EnvironmentTab({ deployment }: { deployment: Deployment }) {
  const names = deployment.secrets.map(({ name }) => name);
  // Somebody else's change begins the form anew: what is sent replaces the whole list.
  return (
    <>
      {deployment.secrets_lost && (
        <p className="field-error" role="alert" data-testid="secrets-lost">
          The values were lost together with the key that sealed them. Give each of them again: the deployment
          does not run until then.
        </p>
      )}
      <EnvironmentForm key={names.join()} id={deployment.id} names={names} />
    </>
  );
}

function EnvironmentForm({ id, names }: { id: string; names: string[] }) {
  const [rows, setRows] = useState<Row[]>(() => rowsOf(names));
  const { run, busy } = useAction();
  const [, navigate] = useLocation();
  const changes = changesIn(rows);
  const fault = faultIn(rows);
  const save = async () => {
    const body = { secrets: secretsOf(rows) };
    const saved = await run(
      () => api(pathOf(id), { method: "PATCH", body }),
      "Saved. A new revision is on its way.",
    );
    if (saved) navigate(`/deployments/${id}`);
  };
  return (
    <Section
      title="Environment"
      note="Encrypted, and never shown again. Each revision keeps the values that it was made with."
      testId="environment"
    >
      <div className="form-card">
        {names.length === 0 && rows.length === 0 && (
          <p className="form-note">
            Nothing is set. Keys of models and the like go here: the deployment’s processes get them as
            environment variables.
          </p>
        )}
        <SecretTable rows={rows} onChange={setRows} />
        <div className="form-foot">
          <span className={fault ? "field-error" : "form-note"} role={fault ? "alert" : undefined}>
            {fault ??
              (changes === "" ? "Saving makes a new revision." : `${changes}. Saving makes a new revision.`)}
          </span>
          <Button disabled={changes === ""} onClick={() => setRows(rowsOf(names))}>
            Discard
          </Button>
          <Button
            look="primary"
            disabled={changes === "" || fault !== undefined || busy}
            onClick={save}
            data-testid="environment-save"
          >
            Save and deploy
          </Button>
        </div>
      </div>
    </Section>
  );
}
