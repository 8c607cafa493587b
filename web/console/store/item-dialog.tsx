import type { Item } from "@berth/server";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, Dialog, Form, TextArea, TextField } from "../../ui/index.ts";
import { api, useAction, useResource, useSubmission } from "../data/index.ts";
import { Ago, Facts, FormDialog, JsonView, Loading, Problem } from "../ui/index.ts";
import { nameOf, namespaceFault, namespaceOf, valueFault } from "./item.ts";

type ItemDialogProps = { base: string; namespace: string[]; itemKey: string; onClose: () => void };

/** One item: to read, to change, to delete. */
export function ItemDialog({ base, namespace, itemKey: key, onClose }: ItemDialogProps) {
  const name = nameOf(namespace);
  const asked = new URLSearchParams({ key, namespace: name, refresh_ttl: "false" });
  const { data, error, loading } = useResource<Item | null>(`${base}/store/items?${asked}`);
  const [draft, setDraft] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const { run, busy } = useAction();
  const edit = useSubmission();
  const save = async (text: string) => {
    const body = { namespace, key, value: JSON.parse(text) };
    await edit.run(async () => {
      await api(`${base}/store/items`, { method: "PUT", body });
      setDraft(undefined);
    }, "Saved.");
  };
  const remove = async () => {
    await run(
      () => api(`${base}/store/items`, { method: "DELETE", body: { namespace, key } }),
      `${key} is deleted.`,
    );
    onClose();
  };
  return (
    <Dialog
      title={key}
      look="wide"
      onClose={onClose}
      testId="item-dialog"
      actions={
        data && (
          <ItemButtons
            draft={draft}
            busy={busy || edit.busy}
            isDeleting={isDeleting}
            onEdit={() => setDraft(JSON.stringify(data.value, null, 2))}
            onDiscard={() => (isDeleting ? setDeleting(false) : setDraft(undefined))}
            onSave={save}
            onDelete={() => (isDeleting ? void remove() : setDeleting(true))}
          />
        )
      }
    >
      <Form className="dialog-form" refused={edit.refused} onSubmit={(event) => event.preventDefault()}>
        {error && <Problem error={error} />}
        {loading && <Loading />}
        {data === null && <p>There is nothing under this key any more.</p>}
        {data && draft === undefined && <ShownItem item={data} />}
        {draft !== undefined && <ValueField value={draft} onChange={setDraft} />}
        {isDeleting && <p role="alert">Agents will not remember this any more. Delete it?</p>}
      </Form>
    </Dialog>
  );
}

function ShownItem({ item: { key, namespace, value, updated_at, created_at } }: { item: Item }) {
  return (
    <>
      <JsonView value={value} label={`Value of ${key}`} />
      <Facts
        items={[
          { label: "Namespace", value: <code>{nameOf(namespace)}</code> },
          { label: "Changed", value: <Ago at={updated_at} /> },
          { label: "Created", value: <Ago at={created_at} /> },
        ]}
      />
    </>
  );
}

type ItemButtonsProps = {
  draft: string | undefined;
  busy: boolean;
  isDeleting: boolean;
  onEdit: () => void;
  onDiscard: () => void;
  onSave: (draft: string) => void;
  onDelete: () => void;
};

function ItemButtons({ draft, busy, isDeleting, onEdit, onDiscard, onSave, onDelete }: ItemButtonsProps) {
  if (draft !== undefined)
    return (
      <>
        <Button onClick={onDiscard}>Discard</Button>
        <Button
          look="primary"
          disabled={busy || valueFault(draft) !== undefined}
          onClick={() => onSave(draft)}
          data-testid="item-save"
        >
          Save
        </Button>
      </>
    );
  return (
    <>
      {isDeleting && <Button onClick={onDiscard}>Keep it</Button>}
      <Button
        look={isDeleting ? "danger" : "plain"}
        icon={<Trash2 />}
        disabled={busy}
        onClick={onDelete}
        data-testid="item-delete"
      >
        Delete
      </Button>
      {!isDeleting && (
        <Button icon={<Pencil />} onClick={onEdit} data-testid="item-edit">
          Edit
        </Button>
      )}
    </>
  );
}

type NewItemDialogProps = { base: string; namespace: string; onClose: () => void };

/** Puts something into the store. */
export function NewItemDialog({ base, namespace: current, onClose }: NewItemDialogProps) {
  const [name, setName] = useState(current);
  const [key, setKey] = useState("");
  const [value, setValue] = useState('{\n  "text": ""\n}');
  const action = useSubmission();
  const nameFault = name === "" ? undefined : namespaceFault(name);
  const isReady = name !== "" && !nameFault && key !== "" && valueFault(value) === undefined;
  const store = () =>
    action.run(async () => {
      const body = { namespace: namespaceOf(name), key, value: JSON.parse(value) };
      await api(`${base}/store/items`, { method: "PUT", body });
      return true;
    }, `${key} is stored.`);
  return (
    <FormDialog
      title="New item"
      confirmText="Store"
      isReady={isReady}
      action={action}
      onDo={store}
      onClose={onClose}
      wide
      testId="new-item-dialog"
      confirmTestId="item-submit"
    >
      <TextField
        label="Namespace"
        hint="Labels with dots between them: users.ada"
        {...(nameFault && { error: nameFault })}
        value={name}
        spellCheck={false}
        of="namespace"
        data-testid="item-namespace"
        onChange={(event) => setName(event.target.value.trim())}
      />
      <TextField
        label="Key"
        hint="Replaces what is there under this key."
        value={key}
        spellCheck={false}
        of="key"
        data-testid="item-new-key"
        onChange={(event) => setKey(event.target.value)}
      />
      <ValueField value={value} onChange={setValue} />
    </FormDialog>
  );
}

/** The value of an item, as JSON to edit. */
function ValueField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const fault = valueFault(value);
  return (
    <TextArea
      label="Value"
      {...(fault && { error: fault })}
      rows={12}
      value={value}
      of="value"
      data-testid="item-value"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
