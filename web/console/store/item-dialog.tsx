import type { Item } from "@berth/server";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, Dialog, Form, TextArea, TextField } from "../../ui/index.ts";
import { api, useAction, useResource, useSubmission } from "../data/index.ts";
import { Ago, Facts, FormDialog, JsonView, Loading, Problem } from "../ui/index.ts";
import { nameOf, namespaceFault, namespaceOf, valueFault } from "./item.ts";
import { WORDS } from "./words.tsx";

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
    }, WORDS.saved);
  };
  const remove = async () => {
    await run(
      () => api(`${base}/store/items`, { method: "DELETE", body: { namespace, key } }),
      WORDS.wasDeleted(key),
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
        {data === null && <p>{WORDS.keyGone}</p>}
        {data && draft === undefined && <ShownItem item={data} />}
        {draft !== undefined && <ValueField value={draft} onChange={setDraft} />}
        {isDeleting && <p role="alert">{WORDS.askDelete}</p>}
      </Form>
    </Dialog>
  );
}

function ShownItem({ item: { key, namespace, value, updated_at, created_at } }: { item: Item }) {
  return (
    <>
      <JsonView value={value} label={WORDS.valueOf(key)} />
      <Facts
        items={[
          { label: WORDS.namespace, value: <code>{nameOf(namespace)}</code> },
          { label: WORDS.changed, value: <Ago at={updated_at} /> },
          { label: WORDS.created, value: <Ago at={created_at} /> },
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
        <Button onClick={onDiscard}>{WORDS.discard}</Button>
        <Button
          look="primary"
          disabled={busy || valueFault(draft) !== undefined}
          onClick={() => onSave(draft)}
          data-testid="item-save"
        >
          {WORDS.save}
        </Button>
      </>
    );
  return (
    <>
      {isDeleting && <Button onClick={onDiscard}>{WORDS.cancel}</Button>}
      <Button
        look={isDeleting ? "danger" : "plain"}
        icon={<Trash2 />}
        disabled={busy}
        onClick={onDelete}
        data-testid="item-delete"
      >
        {WORDS.delete}
      </Button>
      {!isDeleting && (
        <Button icon={<Pencil />} onClick={onEdit} data-testid="item-edit">
          {WORDS.edit}
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
    }, WORDS.wasSaved(key));
  return (
    <FormDialog
      title={WORDS.newItem}
      confirmText={WORDS.store}
      isReady={isReady}
      action={action}
      onDo={store}
      onClose={onClose}
      wide
      testId="new-item-dialog"
      confirmTestId="item-submit"
    >
      <TextField
        label={WORDS.namespace}
        hint={WORDS.namespaceHint}
        {...(nameFault && { error: nameFault })}
        value={name}
        spellCheck={false}
        of="namespace"
        data-testid="item-namespace"
        onChange={(event) => setName(event.target.value.trim())}
      />
      <TextField
        label={WORDS.key}
        hint={WORDS.keyHint}
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
      label={WORDS.value}
      {...(fault && { error: fault })}
      rows={12}
      value={value}
      of="value"
      data-testid="item-value"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
