import type { ThreadState } from "@berth/server";
import { ChevronRight, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { request } from "../../api/index.ts";
import { type Pages, usePaging } from "../../data/index.ts";
import { historyPath, useSource } from "../../source/index.ts";
import { Ago, Button, classes, IconButton, Spinner, useFocusBack } from "../../ui/index.ts";
import { useSession } from "../session-context.ts";
import { WORDS } from "../words.tsx";
import { CheckpointDetail } from "./checkpoint-detail.tsx";
import { type HistoryRow, type HistoryStep, historyRows } from "./history-rows.ts";
import "./history.css";

type HistoryPanelProps = {
  /** The one to show first, however far back it is. */
  checkpointId?: string | undefined;
  onClose: () => void;
};

/** A thread's checkpoints, and what each of them changed. */
export function HistoryPanel({ checkpointId, onClose }: HistoryPanelProps) {
  const { threadId, revision, fork } = useSession();
  const history = useHistory(threadId, revision);
  const { rows: states, loading, hasMore, error, loadMore } = history;
  const [openId, setOpenId] = useState(checkpointId);
  const rows = useMemo(() => historyRows(states), [states]);
  const toggle = (id: string) => setOpenId(id === openId ? undefined : id);
  const shared = { known: states, openId, fork, onToggle: toggle };
  const isMissing = useSought(checkpointId, history);
  useFocusBack();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      className="history"
      aria-label={WORDS.history}
      data-testid="history-panel"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Else the page takes it for the wish to stop the answer.
        event.preventDefault();
        onClose();
      }}
    >
      <header className="history-head">
        <h2>{WORDS.history}</h2>
        <IconButton label={WORDS.closeHistory} onClick={onClose} align="end">
          <X />
        </IconButton>
      </header>
      <div className="history-list">
        {loading && <Spinner label={WORDS.loading} />}
        {error && <p className="history-empty">{WORDS.historyNotLoaded(error.message)}</p>}
        {isMissing && <p className="history-empty">{WORDS.checkpointGone}</p>}
        {states.length === 0 && !loading && !error && <p className="history-empty">{WORDS.noSteps}</p>}
        <ol>
          {rows.map((row) => (
            <Row key={row.id} row={row} {...shared} />
          ))}
        </ol>
        {hasMore && (
          <Button look="quiet" size="small" onClick={loadMore} data-testid="history-more">
            {WORDS.loadMore}
          </Button>
        )}
      </div>
    </aside>
  );
}

/** Reads on until the checkpoint is there, and brings it into view once. Says whether there is none. */
function useSought(id: string | undefined, { rows, loading, hasMore, loadMore }: Pages<ThreadState>) {
  const isFound = rows.some(({ checkpoint }) => checkpoint.checkpoint_id === id);
  useEffect(() => {
    if (id && !isFound && hasMore) loadMore();
  }, [id, isFound, hasMore, loadMore]);
  useEffect(() => {
    if (id && isFound) document.getElementById(entryId(id))?.scrollIntoView({ block: "start" });
  }, [id, isFound]);
  return id !== undefined && !loading && !isFound && !hasMore;
}

const entryId = (checkpointId: string) => `checkpoint-${checkpointId}`;

type RowProps = {
  row: HistoryRow;
  known: readonly ThreadState[];
  openId: string | undefined;
  fork: string | undefined;
  onToggle: (checkpointId: string) => void;
};

/** One step with its details, or the line that others are folded behind. */
function Row({ row, known, openId, fork, onToggle }: RowProps) {
  const { steps } = row;
  const [isUnfolded, setUnfolded] = useState(() =>
    steps.some(({ state }) => state.checkpoint.checkpoint_id === openId),
  );
  const first = steps[0]?.state.metadata.run_id !== steps.at(-1)?.before?.metadata.run_id;
  return (
    <li className={classes("history-entry", first && "history-entry-first")}>
      {row.isFolded && (
        <button
          type="button"
          className="history-fold"
          aria-expanded={isUnfolded}
          onClick={() => setUnfolded(!isUnfolded)}
          data-testid="history-fold"
        >
          <ChevronRight aria-hidden />
          {WORDS.stepsWithoutChange(WORDS.steps(steps.length))}
        </button>
      )}
      {(!row.isFolded || isUnfolded) &&
        steps.map((step) => {
          const id = step.state.checkpoint.checkpoint_id;
          const isOpen = id === openId;
          return (
            <div
              key={id}
              id={entryId(id)}
              className={classes("history-item", fork === id && "history-item-fork")}
            >
              <CheckpointRow step={step} isOpen={isOpen} onToggle={() => onToggle(id)} />
              {isOpen && <CheckpointDetail state={step.state} known={known} />}
            </div>
          );
        })}
    </li>
  );
}

type CheckpointRowProps = { step: HistoryStep; isOpen: boolean; onToggle: () => void };

/** One checkpoint in the list: which step, what ran, what it changed, when. */
function CheckpointRow({ step, isOpen, onToggle }: CheckpointRowProps) {
  const { metadata, created_at } = step.state;
  const isSame = step.changed.length === 0 && !step.isWaiting;
  return (
    <button
      type="button"
      className={classes("history-row", isSame && "history-row-same")}
      aria-expanded={isOpen}
      onClick={onToggle}
      data-testid="history-item"
    >
      <span className="history-step">{typeof metadata.step === "number" && metadata.step}</span>
      <span className="history-what">
        {whatRan(step)}
        <small>{whatItDid(step)}</small>
      </span>
      {created_at && <Ago at={created_at} short />}
    </button>
  );
}

/** The nodes that the checkpoint before announced; or what else made a checkpoint. */
function whatRan({ state, before }: HistoryStep): string {
  const { source } = state.metadata;
  if (source === "input") return WORDS.input;
  if (source === "update") return WORDS.edited;
  if (source === "fork") return WORDS.forked;
  const nodes = [...new Set(before?.next)].map((node) => (node === "__start__" ? WORDS.start : node));
  return nodes.join(", ") || WORDS.step;
}

function whatItDid({ changed, isWaiting, isEnd, state }: HistoryStep): string {
  if (isWaiting) return WORDS.waitsForAnAnswer;
  if (changed.length > 0) return changed.join(", ");
  return isEnd && state.next.length === 0 ? WORDS.endOfTheRun : WORDS.noChange;
}

const PAGE = 20;

/** A thread's checkpoints, newest first, a page at a time. Read again from the top when `revision` grows. */
function useHistory(threadId: string, revision: number) {
  const path = historyPath(useSource(), threadId);
  const pages = usePaging<ThreadState[], string | undefined, ThreadState>({
    queryKey: ["", path, "all"],
    first: undefined,
    // One more than is shown says whether there are more.
    read: (before, signal) =>
      request(path, {
        method: "POST",
        body: { limit: PAGE + 1, ...(before && { before: { configurable: { checkpoint_id: before } } }) },
        signal,
      }),
    next: (last) => (last.length > PAGE ? last[PAGE - 1]?.checkpoint.checkpoint_id : undefined),
    rowsOf: (page) => page.slice(0, PAGE),
  });
  const { refresh } = pages;
  const read = useRef(revision);
  useEffect(() => {
    if (read.current === revision) return;
    read.current = revision;
    refresh();
  }, [revision, refresh]);
  return pages;
}
