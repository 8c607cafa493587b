import type { Workspace } from "@berth/server";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge, Button, IconButton, TextField } from "../../ui/index.ts";
import { api, chooseWorkspace, useAction, useResource, useSubmission, useWorkspace } from "../data/index.ts";
import {
  Ago,
  type Column,
  ConfirmDialog,
  FormDialog,
  Loading,
  Problem,
  Section,
  Table,
} from "../ui/index.ts";
import { WORDS } from "./words.tsx";

type Asked = { what: "create" } | { what: "rename" | "delete"; workspace: Workspace };

/** The workspaces that the key may use. */
export function WorkspaceList() {
  const { data, error, loading, refresh } = useResource<Workspace[]>("/v1/workspaces", { live: ["keys"] });
  const [asked, setAsked] = useState<Asked>();
  const current = useWorkspace();
  if (error) return <Problem error={error} retry={refresh} />;
  if (loading || !data) return <Loading />;
  const close = () => setAsked(undefined);
  return (
    <Section
      title={WORDS.workspaces}
      note={WORDS.workspacesNote}
      actions={
        <Button
          look="primary"
          icon={<Plus />}
          onClick={() => setAsked({ what: "create" })}
          data-testid="new-workspace"
        >
          {WORDS.newWorkspace}
        </Button>
      }
    >
      <Table
        label={WORDS.workspaces}
        columns={columnsWith(current, setAsked)}
        rows={data}
        rowKey={({ id }) => id}
        testId="workspaces"
      />
      {asked?.what === "create" && <NameDialog onClose={close} />}
      {asked?.what === "rename" && <NameDialog workspace={asked.workspace} onClose={close} />}
      {asked?.what === "delete" && <DeleteDialog workspace={asked.workspace} others={data} onClose={close} />}
    </Section>
  );
}

const columnsWith = (current: string | undefined, ask: (asked: Asked) => void): Column<Workspace>[] => [
  {
    name: WORDS.name,
    width: "minmax(9rem, 2fr)",
    cell: ({ id, name }) => (
      <span className="workspace-name" data-testid="workspace-name">
        {name} {id === current && <Badge look="accent">{WORDS.current}</Badge>}
      </span>
    ),
  },
  { name: WORDS.id, width: "minmax(0, 3fr)", wideOnly: true, cell: ({ id }) => <code>{id}</code> },
  { name: WORDS.created, width: "8rem", cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    name: WORDS.actions,
    hideName: true,
    align: "end",
    width: "12rem",
    cell: (workspace) => <RowActions workspace={workspace} isShown={workspace.id === current} ask={ask} />,
  },
];

type RowActionsProps = { workspace: Workspace; isShown: boolean; ask: (asked: Asked) => void };

function RowActions({ workspace, isShown, ask }: RowActionsProps) {
  return (
    <span className="workspace-actions">
      {!isShown && (
        <Button
          size="small"
          look="quiet"
          onClick={() => chooseWorkspace(workspace.id)}
          data-testid="show-workspace"
        >
          {WORDS.switchTo}
        </Button>
      )}
      <IconButton
        label={WORDS.renameNamed(workspace.name)}
        size="small"
        align="end"
        onClick={() => ask({ what: "rename", workspace })}
        data-testid="rename-workspace"
      >
        <Pencil />
      </IconButton>
      <IconButton
        label={WORDS.deleteNamed(workspace.name)}
        size="small"
        align="end"
        onClick={() => ask({ what: "delete", workspace })}
        data-testid="delete-workspace"
      >
        <Trash2 />
      </IconButton>
    </span>
  );
}

function NameDialog({ workspace, onClose }: { workspace?: Workspace; onClose: () => void }) {
  const [name, setName] = useState(workspace?.name ?? "");
  const action = useSubmission();
  const save = () => {
    const body = { name: name.trim() };
    return action.run(
      () =>
        workspace
          ? api<Workspace>(`/v1/workspaces/${workspace.id}`, { method: "PATCH", body })
          : api<Workspace>("/v1/workspaces", { method: "POST", body }),
      workspace ? WORDS.renamedTo(body.name) : WORDS.workspaceCreated(body.name),
    );
  };
  return (
    <FormDialog
      title={workspace ? WORDS.renameNamed(workspace.name) : WORDS.newWorkspace}
      confirmText={workspace ? WORDS.rename : WORDS.create}
      isReady={name.trim() !== ""}
      action={action}
      onDo={save}
      onClose={onClose}
      small
      testId="workspace-dialog"
      confirmTestId="save-workspace"
    >
      <TextField
        label={WORDS.name}
        value={name}
        maxLength={100}
        autoFocus
        onChange={(event) => setName(event.target.value)}
        of="name"
        data-testid="workspace-name-field"
      />
    </FormDialog>
  );
}

type DeleteDialogProps = { workspace: Workspace; others: readonly Workspace[]; onClose: () => void };

function DeleteDialog({ workspace, others, onClose }: DeleteDialogProps) {
  const current = useWorkspace();
  const { run, busy } = useAction();
  const remove = async () => {
    await api(`/v1/workspaces/${workspace.id}`, { method: "DELETE" });
    const instead = others.find(({ id }) => id !== workspace.id);
    // Before anything is asked about the one that is gone.
    if (workspace.id === current && instead) chooseWorkspace(instead.id);
  };
  return (
    <ConfirmDialog
      title={WORDS.deleteQuestion(workspace.name)}
      text={<p>{WORDS.deleteNote}</p>}
      confirmText={WORDS.delete}
      typeName={workspace.name}
      busy={busy}
      onConfirm={() => run(remove, WORDS.wasDeleted(workspace.name))}
      onClose={onClose}
    />
  );
}
