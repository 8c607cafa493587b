import { Plus, Undo2, X } from "lucide-react";
import type { ClipboardEvent } from "react";
import { Button, classes, IconButton } from "../../../ui/index.ts";
import { readEnvironment } from "./environment-text.ts";
import { type Row, withPasted } from "./secret-rows.ts";
import "./secret-table.css";

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
  return (
    <div className="variables">
      {rows.map((row) => (
        <SecretRow
          key={row.key}
          row={row}
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
          Add a variable
        </Button>
      </span>
    </div>
  );
}

type SecretRowProps = {
  row: Row;
  onChange: (changes: Partial<Row>) => void;
  onPaste: (event: ClipboardEvent) => void;
  /** Takes away one that is not saved yet. */
  onDrop: () => void;
};

function SecretRow({ row, onChange, onPaste, onDrop }: SecretRowProps) {
  const { name, value, isKept, isRemoved } = row;
  return (
    <div
      className={classes("variable", isRemoved && "variable-removed")}
      data-testid="secret"
      data-name={name}
    >
      <span className="text-field">
        <input
          type="text"
          aria-label="Name"
          placeholder="NAME, or paste a .env"
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
          aria-label={`Value of ${name || "the new variable"}`}
          placeholder={isKept ? "•••••••• stays as it is" : "value"}
          autoComplete="new-password"
          spellCheck={false}
          value={value}
          disabled={isRemoved}
          data-testid="secret-value"
          onChange={(event) => onChange({ value: event.target.value })}
        />
      </span>
      {isRemoved ? (
        <IconButton label={`Keep ${name}`} onClick={() => onChange({ isRemoved: false })}>
          <Undo2 />
        </IconButton>
      ) : (
        <IconButton
          label={`Remove ${name || "this variable"}`}
          align="end"
          data-testid="secret-remove"
          onClick={() => (isKept ? onChange({ isRemoved: true, value: "" }) : onDrop())}
        >
          <X />
        </IconButton>
      )}
    </div>
  );
}
