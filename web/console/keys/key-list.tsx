import type { Key } from "@berth/server";
import { KeyRound, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge, Button, IconButton } from "../../ui/index.ts";
import { api, useAction, useHasKeys, useResource } from "../data/index.ts";
import {
  Ago,
  type Column,
  ConfirmDialog,
  Empty,
  KeyFirst,
  Loading,
  Problem,
  Section,
  Table,
} from "../ui/index.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

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
    name: "Good for",
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
          This cannot be taken back.
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
