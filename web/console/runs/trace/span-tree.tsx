import type { Span } from "@berth/server";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../ui/index.ts";
import { durationText, useNow } from "../../ui/index.ts";
import { lineId, SpanLine } from "./span-line.tsx";
import { spanRows, treeMove } from "./span-rows.ts";
import { extentOf, ticksOf } from "./timeline.ts";

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
        <span className="span-lane span-ticks" aria-hidden="true">
          {ticksOf(extent).map((at) => (
            <span key={at} style={{ left: `${(at / (extent.end - extent.start)) * 100}%` }}>
              {at === 0 ? "0" : durationText(at)}
            </span>
          ))}
        </span>
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
