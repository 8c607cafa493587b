import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { classes } from "./classes.ts";
import { Dialog } from "./dialog.tsx";
import "./palette.css";

export type PaletteEntry = { id: string; label: string; icon: ReactNode; note: string; onSelect: () => void };

type PaletteProps = {
  /** What it finds, as title and in the empty field. */
  title: string;
  /** What the list is of. */
  listLabel: string;
  query: string;
  onQuery: (query: string) => void;
  entries: readonly PaletteEntry[];
  onClose: () => void;
};

/** Finds something by a few letters, without leaving the keyboard; rendered means open. */
export function Palette({ title, listLabel, query, onQuery, entries, onClose }: PaletteProps) {
  const [at, setAt] = useState(0);
  const listId = useId();
  const active = Math.max(0, Math.min(at, entries.length - 1));
  const select = (entry: PaletteEntry | undefined) => {
    onClose();
    entry?.onSelect();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length > 0) setAt((active + step + entries.length) % entries.length);
    else if (event.key === "Enter") select(entries[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={title} look="palette" onClose={onClose} testId="palette">
      <div className="palette-field">
        <Search />
        <input
          role="combobox"
          aria-label={title}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={`${listId}-${active}`}
          placeholder={title}
          value={query}
          data-testid="palette-input"
          onChange={(event) => {
            onQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <EntryList
        id={listId}
        label={listLabel}
        entries={entries}
        active={active}
        onPoint={setAt}
        onSelect={select}
      />
    </Dialog>
  );
}

type EntryListProps = {
  id: string;
  label: string;
  entries: readonly PaletteEntry[];
  active: number;
  onPoint: (index: number) => void;
  onSelect: (entry: PaletteEntry) => void;
};

function EntryList({ id, label, entries, active, onPoint, onSelect }: EntryListProps) {
  return (
    <div id={id} role="listbox" aria-label={label} className="palette-list">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field holds the focus, and takes the keys for its list.
        <div
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classes("palette-entry", index === active && "palette-entry-active")}
          data-testid="palette-entry"
          onPointerMove={() => onPoint(index)}
          onClick={() => onSelect(entry)}
        >
          {entry.icon}
          <span>{entry.label}</span>
          <small>{entry.note}</small>
        </div>
      ))}
    </div>
  );
}
