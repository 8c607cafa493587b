import { MessageSquare, Plus, Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { listThreads, type ThreadSummary } from "../../api/index.ts";
import { classes, Dialog } from "../../ui/index.ts";
import { relativeTime } from "../relative-time.ts";
import "./palette.css";

type Entry = { id: string; label: string; icon: React.ReactNode; note: string; onSelect: () => void };

const MOST_SHOWN = 12;
const PAUSE_MS = 120;

/** Finds a conversation by a few letters, without leaving the keyboard. */
export function Palette({ onNewChat, onClose }: { onNewChat: () => void; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  const threads = useFound(query);
  const now = Date.now();
  const entries: Entry[] = [
    ...threads.slice(0, MOST_SHOWN).map(({ id, title, updatedAt }) => ({
      id,
      label: title,
      icon: <MessageSquare />,
      note: updatedAt ? relativeTime(updatedAt, now) : "",
      onSelect: () => navigate(`/chat/${id}`),
    })),
    { id: "new", label: "New chat", icon: <Plus />, note: "", onSelect: onNewChat },
  ];
  const active = Math.min(at, entries.length - 1);
  const select = (entry: Entry | undefined) => {
    onClose();
    entry?.onSelect();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((active + step + entries.length) % entries.length);
    else if (event.key === "Enter") select(entries[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search conversations" look="palette" onClose={onClose} testId="palette">
      <div className="palette-field">
        <Search />
        <input
          role="combobox"
          aria-label="Search conversations"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={`${listId}-${active}`}
          placeholder="Search conversations"
          value={query}
          data-testid="palette-input"
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} role="listbox" aria-label="Conversations" className="palette-list">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field holds the focus, and takes the keys for its list.
          <div
            key={entry.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classes("palette-entry", index === active && "palette-entry-active")}
            data-testid="palette-entry"
            onPointerMove={() => setAt(index)}
            onClick={() => select(entry)}
          >
            {entry.icon}
            <span>{entry.label}</span>
            <small>{entry.note}</small>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

function useFound(query: string): readonly ThreadSummary[] {
  const [threads, setThreads] = useState<readonly ThreadSummary[]>([]);
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(
      () => listThreads(query, asked.signal).then(setThreads, () => {}),
      query ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [query]);
  return threads;
}
