import type { Deployment } from "@berth/server";
import { Plus, Undo2, X } from "lucide-react";
import { type ClipboardEvent, type FormEvent, useId, useState } from "react";
import { useLocation } from "wouter";
import { Button, classes, Form, IconButton, useFaultAt } from "../../ui/index.ts";
import { api, useSubmission } from "../data/index.ts";
import { pathOf, rolloutHref } from "../deployment.tsx";
import { Section } from "../ui/index.ts";
import {
  changesIn,
  faultIn,
  type Row,
  readEnvironment,
  rowsOf,
  secretsOf,
  sentRows,
  withPasted,
} from "./secret-rows.ts";
import { WORDS } from "./words.tsx";
import "./secret-table.css";

/** The environment of a deployment's processes: what it has, and what it is to have. */
export function EnvironmentTab({ deployment }: { deployment: Deployment }) {
  const names = deployment.secrets.map(({ name }) => name);
  // Somebody else's change begins the form anew: what is sent replaces the whole list.
  return (
    <>
      {deployment.secrets_lost && (
        <p className="field-error" role="alert" data-testid="secrets-lost">
          {WORDS.valuesLost}
        </p>
      )}
      <EnvironmentForm key={names.join()} id={deployment.id} names={names} />
    </>
  );
}

function EnvironmentForm({ id, names }: { id: string; names: string[] }) {
  const [rows, setRows] = useState<Row[]>(() => rowsOf(names));
  const { run, busy, refused } = useSubmission();
  const [, navigate] = useLocation();
  const changes = changesIn(rows);
  const fault = faultIn(rows);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const body = { secrets: secretsOf(rows) };
    const saved = await run(
      () => api<Deployment>(pathOf(id), { method: "PATCH", body }),
      WORDS.savedWithRevision,
    );
    if (saved) navigate(rolloutHref(id, saved.latest_revision_id));
  };
  return (
    <Section title={WORDS.environment} note={WORDS.environmentNote} testId="environment">
      <Form className="form-card" refused={refused} onSubmit={save}>
        {names.length === 0 && rows.length === 0 && <p className="form-note">{WORDS.nothingSet}</p>}
        <SecretTable rows={rows} onChange={setRows} />
        <div className="form-foot">
          <span className="form-note">
            {changes === "" ? WORDS.savingNote : WORDS.savingChangesNote(changes)}
          </span>
          <Button disabled={changes === ""} onClick={() => setRows(rowsOf(names))}>
            {WORDS.discard}
          </Button>
          <Button
            look="primary"
            disabled={changes === "" || fault !== undefined || busy}
            type="submit"
            data-testid="environment-save"
          >
            {WORDS.saveAndDeploy}
          </Button>
        </div>
      </Form>
    </Section>
  );
}

type SecretTableProps = { rows: readonly Row[]; onChange: (rows: Row[]) => void };

let count = 0;
const emptyRow = (): Row => {
  count += 1;
  return { key: `new-${count}`, name: "", value: "", isKept: false, isRemoved: false };
};

/** Names and values that become environment variables; a value that is there already is never shown. */
export function SecretTable({ rows, onChange }: SecretTableProps) {
  const change = (key: string, changes: Partial<Row>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...changes } : row)));
  const paste = (key: string, event: ClipboardEvent) => {
    const variables = readEnvironment(event.clipboardData.getData("text"));
    if (variables.length === 0) return;
    event.preventDefault();
    onChange(withPasted(rows, key, variables));
  };
  const fault = faultIn(rows);
  const sent = sentRows(rows);
  return (
    <div className="variables">
      {rows.map((row) => (
        <SecretRow
          key={row.key}
          row={row}
          of={`secrets.${sent.indexOf(row)}`}
          {...(fault?.key === row.key && { fault: fault.words })}
          onChange={(changes) => change(row.key, changes)}
          onPaste={(event) => paste(row.key, event)}
          onDrop={() => onChange(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <span>
        <Button
          size="small"
          icon={<Plus />}
          onClick={() => onChange([...rows, emptyRow()])}
          data-testid="secret-add"
        >
          {WORDS.addAVariable}
        </Button>
      </span>
    </div>
  );
}

type SecretRowProps = {
  row: Row;
  /** What it is of the request. */
  of: string;
  /** What keeps it from being sent. */
  fault?: string;
  onChange: (changes: Partial<Row>) => void;
  onPaste: (event: ClipboardEvent) => void;
  /** Takes away one that is not saved yet. */
  onDrop: () => void;
};

function SecretRow({ row, of, fault, onChange, onPaste, onDrop }: SecretRowProps) {
  const { name, value, isKept, isRemoved } = row;
  const refused = useFaultAt(of);
  const words = fault ?? refused.words;
  const id = useId();
  return (
    <div
      className={classes("variable", isRemoved && "variable-removed")}
      data-testid="secret"
      data-name={name}
      onInput={refused.onChanged}
    >
      <span className="text-field">
        <input
          type="text"
          aria-label={WORDS.name}
          {...(words && { "aria-invalid": true, "aria-describedby": id })}
          placeholder={WORDS.namePlaceholder}
          autoComplete="off"
          spellCheck={false}
          value={name}
          readOnly={isKept || isRemoved}
          data-testid="secret-name"
          onPaste={onPaste}
          onChange={(event) => onChange({ name: event.target.value.trim() })}
        />
      </span>
      <span className="text-field">
        <input
          type={value === "" ? "text" : "password"}
          aria-label={WORDS.valueOf(name || WORDS.theNewVariable)}
          placeholder={isKept ? WORDS.valuePlaceholder : WORDS.value}
          autoComplete="new-password"
          spellCheck={false}
          value={value}
          disabled={isRemoved}
          data-testid="secret-value"
          onChange={(event) => onChange({ value: event.target.value })}
        />
      </span>
      {isRemoved ? (
        <IconButton label={WORDS.keep(name)} onClick={() => onChange({ isRemoved: false })}>
          <Undo2 />
        </IconButton>
      ) : (
        <IconButton
          label={WORDS.remove(name || WORDS.thisVariable)}
          align="end"
          data-testid="secret-remove"
          onClick={() => (isKept ? onChange({ isRemoved: true, value: "" }) : onDrop())}
        >
          <X />
        </IconButton>
      )}
      {words && (
        <p id={id} className="field-error" role="alert">
          {words}
        </p>
      )}
    </div>
  );
}

export { faultIn, type Row, readEnvironment, secretsOf, withPasted } from "./secret-rows.ts";
