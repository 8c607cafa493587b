import type { Span } from "@berth/server";
import {
  Box,
  Braces,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  Hash,
  MessageSquareText,
  Search,
  Sparkles,
  Workflow,
  Wrench,
} from "lucide-react";
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button, classes } from "../../../ui/index.ts";
import { durationText, useNow } from "../../ui/index.ts";
import {
  barOf,
  durationOf,
  type Extent,
  extentOf,
  type SpanTreeRow,
  spanRows,
  ticksOf,
  treeMove,
} from "./span-rows.ts";

type SpanTreeProps = { spans: readonly Span[]; selectedId: string; onSelect: (spanId: string) => void };

const NONE: ReadonlySet<string> = new Set();

/** What a run did, as a tree beside a time line. Arrows walk through it. */
export function SpanTree({ spans, selectedId, onSelect }: SpanTreeProps) {
  const [closed, setClosed] = useState(NONE);
  const now = useTimeOf(spans);
  const rows = useMemo(() => spanRows(spans, closed), [spans, closed]);
  const extent = useMemo(() => extentOf(spans, now), [spans, now]);
  const toggle = useCallback(
    (id: string) => setClosed((before) => (before.has(id) ? without(before, id) : new Set(before).add(id))),
    [],
  );
  const byKey = useFocusOnSelected(selectedId);
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = treeMove(rows, selectedId, event.key);
    if (!move) return;
    event.preventDefault();
    if ("toggle" in move) return toggle(move.toggle);
    byKey();
    onSelect(move.select);
  };
  const parents = rows.filter(({ children, level }) => children > 0 && level > 1);
  const isAllOpen = closed.size === 0;
  // A line that is hidden in a closed one cannot take the focus: the first one does.
  const current = rows.some(({ span }) => span.id === selectedId) ? selectedId : rows[0]?.span.id;
  return (
    <section className="span-tree" aria-label="Spans and when they were">
      <header className="span-tree-head">
        <span>
          {spans.length === 1 ? "1 span" : `${spans.length} spans`}
          {(parents.length > 0 || !isAllOpen) && (
            <Button
              size="small"
              look="quiet"
              onClick={() => setClosed(isAllOpen ? new Set(parents.map(({ span }) => span.id)) : NONE)}
              data-testid="fold-all"
            >
              {isAllOpen ? "Fold all" : "Unfold all"}
            </Button>
          )}
        </span>
        <Ticks extent={extent} />
        <span className="span-took">Took</span>
      </header>
      <div role="tree" aria-label="Spans" onKeyDown={press} data-testid="span-tree">
        {rows.map((row) => (
          <SpanLine
            key={row.span.id}
            row={row}
            extent={extent}
            now={now}
            isSelected={row.span.id === current}
            onSelect={onSelect}
            onToggle={toggle}
          />
        ))}
      </div>
    </section>
  );
}

function Ticks({ extent }: { extent: Extent }) {
  return (
    <span className="span-lane span-ticks" aria-hidden="true">
      {ticksOf(extent).map((at) => (
        <span key={at} style={{ left: `${(at / (extent.end - extent.start)) * 100}%` }}>
          {at === 0 ? "0" : durationText(at)}
        </span>
      ))}
    </span>
  );
}

/** The time of now, where something is still under way: otherwise a thousand lines would be drawn again for nothing. */
function useTimeOf(spans: readonly Span[]): number {
  const now = useNow();
  const isOpen = useMemo(() => spans.some(({ end_time }) => end_time === null), [spans]);
  return isOpen ? now : 0;
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

/** After a key the focus goes with the selection; a click has put it there already. */
function useFocusOnSelected(selectedId: string): () => void {
  const isByKey = useRef(false);
  useEffect(() => {
    if (!isByKey.current) return;
    isByKey.current = false;
    document.getElementById(lineId(selectedId))?.focus();
  }, [selectedId]);
  return useCallback(() => {
    isByKey.current = true;
  }, []);
}

type SpanLineProps = {
  row: SpanTreeRow;
  extent: Extent;
  now: number;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
};

const FAILED = new Set(["error", "timeout"]);

/** One span: its place in the tree, when it was, and how long it took. */
const SpanLine = memo(function SpanLine(props: SpanLineProps) {
  const { row, extent, now, isSelected, onSelect, onToggle } = props;
  const { span, level, children, isOpen, place, siblings } = row;
  const hasFailed = FAILED.has(span.status);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys.
    <div
      role="treeitem"
      id={lineId(span.id)}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isSelected}
      aria-expanded={children > 0 ? isOpen : undefined}
      tabIndex={isSelected ? 0 : -1}
      className={classes("span-line", isSelected && "span-line-selected", hasFailed && "span-line-failed")}
      style={{ "--level": level } as CSSProperties}
      data-testid="span"
      data-span={span.name}
      data-status={span.status}
      onClick={() => onSelect(span.id)}
    >
      <span className="span-name">
        {children > 0 ? (
          // biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for the pointer; arrows do it in the tree.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
          <span
            className="span-fold"
            data-testid="span-fold"
            onClick={(event) => {
              event.stopPropagation();
              onToggle(span.id);
            }}
          >
            {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
          </span>
        ) : (
          <span className="span-fold" />
        )}
        <SpanIcon span={span} />
        <span className="visually-hidden">{kindOf(span)} </span>
        <span className="span-words" title={span.name}>
          {span.name || "unnamed"}
        </span>
        {hasFailed && <CircleAlert className="span-failed" aria-label="failed" />}
      </span>
      <Bar row={row} extent={extent} now={now} />
      <span className="span-took">{durationText(durationOf(span, now))}</span>
    </div>
  );
});

const lineId = (spanId: string) => `span-${spanId}`;

function Bar({ row: { span }, extent, now }: Pick<SpanLineProps, "row" | "extent" | "now">) {
  const { left, width, firstToken } = barOf(span, extent, now);
  return (
    <span className="span-lane" aria-hidden="true">
      <span
        className={classes("span-bar", `span-bar-${span.run_type}`, `span-bar-${span.status}`)}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
      {firstToken !== undefined && (
        <span className="span-first-token" style={{ left: `${firstToken}%` }} title="First token" />
      )}
    </span>
  );
}

const KINDS: Record<string, { name: string; icon: typeof Box }> = {
  llm: { name: "Model call", icon: Sparkles },
  tool: { name: "Tool call", icon: Wrench },
  retriever: { name: "Retrieval", icon: Search },
  embedding: { name: "Embedding", icon: Hash },
  prompt: { name: "Prompt", icon: MessageSquareText },
  parser: { name: "Parser", icon: Braces },
};

/** What kind of thing a span is, in words. */
export function kindOf({ run_type, parent_id, node, name }: Span): string {
  const known = KINDS[run_type]?.name;
  if (known) return known;
  if (parent_id === null) return "Run";
  return node === name ? "Node" : "Step";
}

export function SpanIcon({ span }: { span: Span }) {
  const Icon = KINDS[span.run_type]?.icon ?? (span.parent_id === null ? Workflow : Box);
  return <Icon className={`span-icon span-icon-${span.run_type}`} aria-hidden="true" />;
}
