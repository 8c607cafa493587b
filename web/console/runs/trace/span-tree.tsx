import type { Span } from "@berth/server";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useWide } from "../../../ui/index.ts";
import { durationText, useNow } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { type Folds, useFolds } from "./folds.ts";
import { lineId, SpanLine } from "./span-line.tsx";
import {
  type Extent,
  extentOf,
  hasFailed,
  nextOf,
  type SpanTreeRow,
  spansAbove,
  ticksOf,
  treeMove,
} from "./span-rows.ts";
import { textsOf, withText } from "./span-search.ts";
import { SpanTools } from "./span-tools.tsx";

type SpanTreeProps = { spans: readonly Span[]; selectedId: string; onSelect: (spanId: string) => void };

/** What a run did, as a tree beside a time line. Arrows walk through it, `e` goes to the next error. */
export function SpanTree({ spans, selectedId, onSelect }: SpanTreeProps) {
  const [query, setQuery] = useState("");
  const folds = useFolds(spans);
  const { rows, closed } = folds;
  const { found, foundNow } = useFound(spans, query);
  const go = useGo(spans, folds.open, selectedId, onSelect);
  const failed = useMemo(() => spans.filter(hasFailed), [spans]);
  const toError = (step: 1 | -1) => go(nextOf(spans, failed, selectedId, step));
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isError = event.key === "e" || event.key === "E";
    const move = isError ? undefined : treeMove(rows, selectedId, event.key);
    if (!isError && !move) return;
    event.preventDefault();
    if (isError) toError(event.shiftKey ? -1 : 1);
    else if (move && "toggle" in move) folds.toggle(move.toggle);
    else if (move) go(move.select);
  };
  return (
    <section className="span-tree" aria-label={WORDS.spansOverTime}>
      <SpanTools
        spans={spans}
        failed={failed.length}
        toError={toError}
        query={query}
        onQuery={setQuery}
        found={found}
        selectedId={selectedId}
        toFound={(step) => go(nextOf(spans, foundNow(), selectedId, step))}
        folds={folds}
      />
      <Lines
        {...{ spans, rows, selectedId, onSelect, closed, onToggle: folds.toggle, onKeyDown: press }}
        found={found}
      />
    </section>
  );
}

/**
 * The spans that have what is searched for, undefined while nothing is; they follow what a person types. `foundNow` is
 * for a key that comes before them.
 */
function useFound(spans: readonly Span[], query: string) {
  const followed = useDeferredValue(query);
  const isAsked = followed.trim() !== "";
  const texts = useMemo(() => (isAsked ? textsOf(spans) : undefined), [isAsked, spans]);
  const found = useMemo(() => texts && withText(spans, texts, followed), [spans, texts, followed]);
  const foundNow = () => {
    if (followed === query) return found ?? [];
    return query.trim() === "" ? [] : withText(spans, texts ?? textsOf(spans), query);
  };
  return { found, foundNow };
}

/** Chooses a span, wherever it is hidden. */
function useGo(
  spans: readonly Span[],
  open: Folds["open"],
  selectedId: string,
  onSelect: (id: string) => void,
) {
  const byKey = useFocusOnSelected(selectedId);
  return (id: string | undefined) => {
    const span = spans.find((each) => each.id === id);
    if (!span) return;
    open(spansAbove(spans, span).map((above) => above.id));
    byKey();
    onSelect(span.id);
  };
}

type LinesProps = {
  spans: readonly Span[];
  rows: readonly SpanTreeRow[];
  found: readonly Span[] | undefined;
  selectedId: string;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

/** The lines that can be seen of the tree. */
function Lines({ spans, rows, found, selectedId, onSelect, onToggle, onKeyDown }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const now = useTimeOf(spans);
  const extent = useMemo(() => extentOf(spans, now), [spans, now]);
  const foundIds = useMemo(() => new Set(found?.map(({ id }) => id)), [found]);
  // A line that is hidden in a closed one cannot take the focus: the first one does.
  const at = Math.max(
    0,
    rows.findIndex(({ span }) => span.id === selectedId),
  );
  const { items, height } = useLines(rows, at, box);
  return (
    <>
      <div className="span-tree-head">
        <span>{WORDS.spanColumn}</span>
        <Ticks extent={extent} />
        <span className="span-took">{WORDS.duration}</span>
      </div>
      <div ref={box} className="span-tree-rows">
        <div
          role="tree"
          aria-label={WORDS.spansTitle}
          onKeyDown={onKeyDown}
          style={{ height }}
          data-testid="span-tree"
        >
          {items.map(({ index, start, size }) => {
            const row = rows[index];
            return (
              row && (
                <SpanLine
                  key={row.span.id}
                  {...{ row, extent, now, onSelect, onToggle, top: start, height: size }}
                  isSelected={index === at}
                  isFound={foundIds.has(row.span.id)}
                />
              )
            );
          })}
        </div>
      </div>
    </>
  );
}

const LINE_PX = 34;
/** On a phone the bar stands below the name. */
const TALL_LINE_PX = 48;
const BEYOND = 15;

/** Which lines can be seen. The chosen one is always there, for the focus. */
function useLines(rows: readonly SpanTreeRow[], at: number, box: RefObject<HTMLDivElement | null>) {
  const height = useWide() ? LINE_PX : TALL_LINE_PX;
  const getItemKey = useCallback((index: number) => rows[index]?.span.id ?? index, [rows]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: BEYOND,
    useFlushSync: false,
    getItemKey,
    rangeExtractor: (range: Range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(at) ? shown : [...shown, at].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height is measured anew.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  useEffect(() => virtualizer.scrollToIndex(at, { align: "auto" }), [virtualizer, at]);
  return { items: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize() };
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

/** After a key in the tree the focus goes with the selection; who searches stays where they type. */
function useFocusOnSelected(selectedId: string): () => void {
  const isByKey = useRef(false);
  useEffect(() => {
    if (!isByKey.current) return;
    isByKey.current = false;
    document.getElementById(lineId(selectedId))?.focus({ preventScroll: true });
  }, [selectedId]);
  return useCallback(() => {
    isByKey.current = document.activeElement?.closest("[role=tree]") !== null;
  }, []);
}
