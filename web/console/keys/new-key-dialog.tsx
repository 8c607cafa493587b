import type { Key, NewKey } from "@berth/server";
import { type FormEvent, useState } from "react";
import { Button, Dialog, Field, TextField } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { CopyButton } from "../ui/index.ts";

/** Makes a key, then shows its secret this once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewKey>();
  if (made) return <Secret made={made} onClose={onClose} />;
  return <KeyForm onMade={setMade} onClose={onClose} />;
}

const FORM = "new-key";

function KeyForm({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Key["scope"]>("workspace");
  const { run, busy } = useAction();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim(), scope };
    const made = await run(() => api<NewKey>("/v1/keys", { method: "POST", body }));
    if (made) onMade(made);
  };
  return (
    <Dialog
      title="New API key"
      onClose={onClose}
      testId="new-key-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={FORM}
            disabled={busy || !name.trim()}
            data-testid="create-key"
          >
            Create
          </Button>
        </>
      }
    >
      <form id={FORM} className="key-form" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Whose it is or what it is for: “CI”, “Ada’s laptop”."
          value={name}
          maxLength={100}
          autoFocus
          onChange={(event) => setName(event.target.value)}
          data-testid="key-name-field"
        />
        <ScopeField scope={scope} onScope={setScope} />
      </form>
    </Dialog>
  );
}

const MEANING: Record<Key["scope"], string> = {
  workspace: "Sees and changes what is in this workspace.",
  organization: "Sees every workspace and the server itself, and makes workspaces and keys like itself.",
  metrics: "Reads the server’s /metrics and nothing else: for Prometheus and its like.",
};
const scopes = Object.keys(MEANING) as Key["scope"][];

type ScopeFieldProps = { scope: Key["scope"]; onScope: (scope: Key["scope"]) => void };

function ScopeField({ scope, onScope }: ScopeFieldProps) {
  return (
    <Field label="Good for" hint={MEANING[scope]}>
      {(ids) => (
        <select
          {...ids}
          className="filter-select"
          value={scope}
          onChange={(event) => onScope(scopes.find((one) => one === event.target.value) ?? "workspace")}
          data-testid="key-scope"
        >
          <option value="workspace">This workspace</option>
          <option value="organization">The organization</option>
          <option value="metrics">Metrics only</option>
        </select>
      )}
    </Field>
  );
}

function Secret({ made, onClose }: { made: NewKey; onClose: () => void }) {
  return (
    <Dialog
      title={`The key ${made.name}`}
      onClose={onClose}
      testId="key-secret-dialog"
      actions={
        <Button look="primary" onClick={onClose} data-testid="secret-kept">
          I have kept it
        </Button>
      }
    >
      <div className="key-form">
        <p>This is the only time that it is shown. Whoever has it may call as this key.</p>
        <p className="secret">
          <code data-testid="key-secret">{made.secret}</code>
          <CopyButton text={made.secret} label="Copy the key" />
        </p>
        <p className="field-hint">
          Programs send it as the header <code>X-Api-Key</code>, or have it as <code>LANGSMITH_API_KEY</code>.
        </p>
      </div>
    </Dialog>
  );
}
