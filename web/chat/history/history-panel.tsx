import { X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { ThreadState } from "../../api/index.ts";
import { Button, classes, IconButton, Spinner, useFocusBack } from "../../ui/index.ts";
import { relativeTime } from "../relative-time.ts";
import { useSession } from "../session-context.ts";
import { CheckpointDetail } from "./checkpoint-detail.tsx";
import "./history.css";
import { changedKeys } from "./state-diff.ts";
import { useHistory } from "./use-history.ts";

/** A thread's checkpoints, and what each of them changed. */
export function HistoryPanel({ onClose }: { onClose: () => void }) {
  const { threadId, revision, fork } = useSession();
  const { states, hasMore, error, loadMore } = useHistory(threadId, revision);
  const [openId, setOpenId] = useState<string>();
  const now = Date.now();
  useFocusBack();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className="history"
      aria-label="History"
      data-testid="history-panel"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Else the page takes it for the wish to stop the answer.
        event.preventDefault();
        onClose();
      }}
    >
      <header className="history-head">
        <h2>History</h2>
        <IconButton label="Close history" onClick={onClose} align="end">
          <X />
        </IconButton>
      </header>
      <div className="history-list">
        {!states && !error && <Spinner label="Loading" />}
        {error && <p className="history-empty">The history could not be read: {error}</p>}
        {states?.length === 0 && <p className="history-empty">Each step of a run will be kept here.</p>}
        <ol>
          {states?.map((state, index) => {
            const id = state.checkpoint.checkpoint_id;
            const isOpen = id === openId;
            return (
              <li key={id} className={classes("history-item", fork === id && "history-item-fork")}>
                <CheckpointRow
                  state={state}
                  isOpen={isOpen}
                  before={states[index + 1]}
                  now={now}
                  onToggle={() => setOpenId(isOpen ? undefined : id)}
                />
                {isOpen && <CheckpointDetail state={state} known={states} />}
              </li>
            );
          })}
        </ol>
        {hasMore && (
          <Button look="quiet" size="small" onClick={loadMore} data-testid="history-more">
            Load more
          </Button>
        )}
      </div>
    </aside>
  );
}

type CheckpointRowProps = {
  state: ThreadState;
  isOpen: boolean;
  before: ThreadState | undefined;
  now: number;
  onToggle: () => void;
};

function CheckpointRow({ state, isOpen, before, now, onToggle }: CheckpointRowProps) {
  const { metadata, created_at, tasks } = state;
  const isFirst = metadata.run_id !== before?.metadata.run_id;
  const changed = useMemo(() => changedKeys(before?.values ?? {}, state.values).join(", "), [before, state]);
  const isWaiting = tasks.some(({ interrupts }) => interrupts.length > 0);
  return (
    <button
      type="button"
      className={classes(
        "history-row",
        isFirst && "history-row-first",
        !changed && !isWaiting && "history-row-same",
      )}
      aria-expanded={isOpen}
      onClick={onToggle}
      data-testid="history-item"
    >
      <span className="history-step">{metadata.step ?? ""}</span>
      <span className="history-what">
        {wordsFor(state, before)}
        <small>{isWaiting ? "waits for an answer" : changed || "no change"}</small>
      </span>
      {created_at && (
        <time dateTime={created_at} title={new Date(created_at).toLocaleString()}>
          {relativeTime(created_at, now)}
        </time>
      )}
    </button>
  );
}

/** What made this checkpoint: the nodes that the one before it announced. */
function wordsFor({ metadata }: ThreadState, before: ThreadState | undefined): string {
  const { source } = metadata;
  if (source === "input") return "Input";
  if (source === "update") return "Edited";
  if (source === "fork") return "Forked";
  const nodes = [...new Set(before?.next)].map((node) => (node === "__start__" ? "Start" : node));
  return nodes.join(", ") || "Step";
}
