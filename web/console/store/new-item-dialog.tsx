import { type FormEvent, useId, useState } from "react";
import { Button, Dialog, TextField } from "../../ui/index.ts";
import { api, useAction } from "../data/index.ts";
import { namespaceFault, namespaceOf, valueFault } from "./item.ts";
import { ValueField } from "./value-field.tsx";

type NewItemDialogProps = { base: string; namespace: string; onClose: () => void };

/** Puts something into the store. */
export function NewItemDialog({ base, namespace: current, onClose }: NewItemDialogProps) {
  const form = useId();
  const [name, setName] = useState(current);
  const [key, setKey] = useState("");
  const [value, setValue] = useState('{\n  "text": ""\n}');
  const { run, busy } = useAction();
  const nameFault = name === "" ? undefined : namespaceFault(name);
  const isReady = name !== "" && !nameFault && key !== "" && valueFault(value) === undefined && !busy;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const body = { namespace: namespaceOf(name), key, value: JSON.parse(value) };
    const done = await run(async () => {
      await api(`${base}/store/items`, { method: "PUT", body });
      return true;
    }, `${key} is stored.`);
    if (done) onClose();
  };
  return (
    <Dialog
      title="New item"
      look="wide"
      onClose={onClose}
      testId="new-item-dialog"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={form} disabled={!isReady} data-testid="item-submit">
            Store
          </Button>
        </>
      }
    >
      <form id={form} className="item-dialog" onSubmit={submit}>
        <TextField
          label="Namespace"
          hint="Labels with dots between them: users.ada"
          {...(nameFault && { error: nameFault })}
          value={name}
          spellCheck={false}
          data-testid="item-namespace"
          onChange={(event) => setName(event.target.value.trim())}
        />
        <TextField
          label="Key"
          hint="Replaces what is there under this key."
          value={key}
          spellCheck={false}
          data-testid="item-new-key"
          onChange={(event) => setKey(event.target.value)}
        />
        <ValueField value={value} onChange={setValue} />
      </form>
    </Dialog>
  );
}
