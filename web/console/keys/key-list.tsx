import type { Key, NewKey } from "@berth/server";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge, Button, Dialog, IconButton, SelectField, TextField } from "../../ui/index.ts";
import { api, useAction, useHasKeys, useResource, useSubmission } from "../data/index.ts";
import {
  Ago,
  type Column,
  ConfirmDialog,
  CopyButton,
  Empty,
  FormDialog,
  KeyFirst,
  Loading,
  Problem,
  Section,
  Table,
} from "../ui/index.ts";

/** The keys of the workspace, and for keys of the organization theirs. */
export function KeyList() {
  const { data, error, loading, refresh } = useResource<Key[]>("/v1/keys", { live: ["keys"] });
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const hasKeys = useHasKeys();
  if (!hasKeys) return <KeyFirst />;
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading || !data) return <Loading />;
  const create = (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)} data-testid="new-key">
      New key
    </Button>
  );
  return (
    <Section
      title="API keys"
      note="Of a key, Berth keeps no more than a hash."
      {...(data.length > 0 && { actions: create })}
    >
      <Table
        label="API keys"
        columns={columnsWith(setRevoked)}
        rows={data}
        rowKey={({ id }) => id}
        testId="keys"
        empty={
          <Empty
            icon={<KeyRound />}
            title="No key was made here"
            text="A key lets programs call this Berth: the SDKs, the command line, CI. The operator’s own SERVICE_API_KEY is in no list."
            action={create}
          />
        }
      />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {revoked && <RevokeDialog revoked={revoked} onClose={() => setRevoked(undefined)} />}
    </Section>
  );
}

const columnsWith = (revoke: (key: Key) => void): Column<Key>[] => [
  {
    name: "Name",
    width: "minmax(9rem, 2fr)",
    cell: ({ name }) => <span data-testid="key-name">{name}</span>,
  },
  { name: "Begins with", width: "9rem", cell: ({ hint }) => <code>{hint}…</code> },
  {
    name: "Scope",
    width: "10rem",
    cell: ({ scope }) =>
      scope === "workspace" ? (
        <Badge>This workspace</Badge>
      ) : (
        <Badge look="accent">{scope === "organization" ? "Organization" : "Metrics"}</Badge>
      ),
  },
  { name: "Made", width: "7rem", cell: ({ created_at }) => <Ago at={created_at} /> },
  { name: "By", width: "minmax(6rem, 1fr)", cell: ({ created_by }) => created_by?.name ?? "–" },
  { name: "Last used", width: "8rem", cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    name: "Revoke",
    hideName: true,
    width: "3rem",
    align: "end",
    cell: (key) => (
      <IconButton
        label={`Revoke ${key.name}`}
        align="end"
        size="small"
        onClick={() => revoke(key)}
        data-testid="revoke"
      >
        <Trash2 />
      </IconButton>
    ),
  },
];

function RevokeDialog({ revoked, onClose }: { revoked: Key; onClose: () => void }) {
  const { run, busy } = useAction();
  return (
    <ConfirmDialog
      title={`Revoke ${revoked.name}?`}
      text={
        <p>
          Whoever calls with it gets 401 within five seconds, and whoever signed in with it is signed out.
          This can’t be undone.
        </p>
      }
      confirmText="Revoke"
      busy={busy}
      onConfirm={() =>
        run(() => api(`/v1/keys/${revoked.id}`, { method: "DELETE" }), `${revoked.name} is revoked`)
      }
      onClose={onClose}
    />
  );
}

/** Makes a key, then shows its secret this once. */
function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewKey>();
  if (made) return <Secret made={made} onClose={onClose} />;
  return <KeyForm onMade={setMade} onClose={onClose} />;
}

function KeyForm({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Key["scope"]>("workspace");
  const action = useSubmission();
  const create = async () => {
    const body = { name: name.trim(), scope };
    const made = await action.run(() => api<NewKey>("/v1/keys", { method: "POST", body }));
    if (made) onMade(made);
  };
  return (
    <FormDialog
      title="New API key"
      confirmText="Create"
      isReady={name.trim() !== ""}
      action={action}
      onDo={create}
      onClose={onClose}
      small
      testId="new-key-dialog"
      confirmTestId="create-key"
    >
      <TextField
        label="Name"
        hint="Whose it is or what it is for: “CI”, “Ada’s laptop”."
        value={name}
        maxLength={100}
        autoFocus
        onChange={(event) => setName(event.target.value)}
        of="name"
        data-testid="key-name-field"
      />
      <ScopeField scope={scope} onScope={setScope} />
    </FormDialog>
  );
}

const SCOPES: readonly { value: Key["scope"]; label: string; hint: string }[] = [
  { value: "workspace", label: "This workspace", hint: "Sees and changes what is in this workspace." },
  {
    value: "organization",
    label: "The organization",
    hint: "Sees every workspace and the server itself, and makes workspaces and keys like itself.",
  },
  {
    value: "metrics",
    label: "Metrics only",
    hint: "Reads the server’s /metrics and nothing else: for Prometheus and its like.",
  },
];

type ScopeFieldProps = { scope: Key["scope"]; onScope: (scope: Key["scope"]) => void };

function ScopeField({ scope, onScope }: ScopeFieldProps) {
  return (
    <SelectField
      label="Scope"
      hint={SCOPES.find(({ value }) => value === scope)?.hint}
      className="filter-select"
      value={scope}
      options={SCOPES}
      onChange={(chosen) => onScope(SCOPES.find(({ value }) => value === chosen)?.value ?? "workspace")}
      of="scope"
      data-testid="key-scope"
    />
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
          I’ve saved it
        </Button>
      }
    >
      <div className="dialog-form dialog-form-small">
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
