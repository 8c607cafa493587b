import type { Key, NewKey } from "@berth/server";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge, Button, IconButton, SelectField, TextField } from "../../ui/index.ts";
import { api, useAction, useHasKeys, useResource, useSubmission } from "../data/index.ts";
import {
  Ago,
  type Column,
  ConfirmDialog,
  Empty,
  FormDialog,
  KeyFirst,
  Loading,
  Problem,
  SecretDialog,
  Section,
  Table,
} from "../ui/index.ts";
import { WORDS } from "./words.tsx";

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
      {WORDS.newKey}
    </Button>
  );
  return (
    <Section title={WORDS.apiKeys} note={WORDS.hashNote} {...(data.length > 0 && { actions: create })}>
      <Table
        label={WORDS.apiKeys}
        columns={columnsWith(setRevoked)}
        rows={data}
        rowKey={({ id }) => id}
        testId="keys"
        empty={<Empty icon={<KeyRound />} title={WORDS.noKeysYet} text={WORDS.noKeysHint} action={create} />}
      />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {revoked && <RevokeDialog revoked={revoked} onClose={() => setRevoked(undefined)} />}
    </Section>
  );
}

const columnsWith = (revoke: (key: Key) => void): Column<Key>[] => [
  {
    name: WORDS.name,
    width: "minmax(9rem, 2fr)",
    cell: ({ name }) => <span data-testid="key-name">{name}</span>,
  },
  { name: WORDS.beginsWith, width: "9rem", cell: ({ hint }) => <code>{hint}…</code> },
  {
    name: WORDS.scope,
    width: "10rem",
    cell: ({ scope }) =>
      scope === "workspace" ? (
        <Badge>{WORDS.thisWorkspace}</Badge>
      ) : (
        <Badge look="accent">{scope === "organization" ? WORDS.allWorkspaces : WORDS.metrics}</Badge>
      ),
  },
  { name: WORDS.created, width: "7rem", cell: ({ created_at }) => <Ago at={created_at} /> },
  { name: WORDS.by, width: "minmax(6rem, 1fr)", cell: ({ created_by }) => created_by?.name ?? "–" },
  { name: WORDS.lastUsed, width: "8rem", cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    name: WORDS.revoke,
    hideName: true,
    width: "3rem",
    align: "end",
    cell: (key) => (
      <IconButton
        label={WORDS.revokeNamed(key.name)}
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
      title={WORDS.revokeQuestion(revoked.name)}
      text={<p>{WORDS.revokeNote}</p>}
      confirmText={WORDS.revoke}
      busy={busy}
      onConfirm={() =>
        run(() => api(`/v1/keys/${revoked.id}`, { method: "DELETE" }), WORDS.wasRevoked(revoked.name))
      }
      onClose={onClose}
    />
  );
}

/** Makes a key, then shows its secret this once. */
function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewKey>();
  if (made)
    return (
      <SecretDialog
        title={WORDS.theKey(made.name)}
        secret={made.secret}
        note={WORDS.shownOnce}
        copyText={WORDS.copyTheKey}
        use={WORDS.keyUse}
        onClose={onClose}
      />
    );
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
      title={WORDS.newApiKey}
      confirmText={WORDS.create}
      isReady={name.trim() !== ""}
      action={action}
      onDo={create}
      onClose={onClose}
      small
      testId="new-key-dialog"
      confirmTestId="create-key"
    >
      <TextField
        label={WORDS.name}
        hint={WORDS.nameHint}
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
  { value: "workspace", label: WORDS.thisWorkspace, hint: WORDS.workspaceScopeHint },
  {
    value: "organization",
    label: WORDS.allWorkspaces,
    hint: WORDS.organizationScopeHint,
  },
  {
    value: "metrics",
    label: WORDS.metricsOnly,
    hint: WORDS.metricsScopeHint,
  },
];

type ScopeFieldProps = { scope: Key["scope"]; onScope: (scope: Key["scope"]) => void };

function ScopeField({ scope, onScope }: ScopeFieldProps) {
  return (
    <SelectField
      label={WORDS.scope}
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
