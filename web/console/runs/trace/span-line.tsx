import type { Span } from "@berth/server";
import {
  Box,
  Braces,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  Hash,
  Link2,
  MessageSquareText,
  Search,
  Sparkles,
  Workflow,
  Wrench,
} from "lucide-react";
import { type CSSProperties, memo } from "react";
import { classes } from "../../../ui/index.ts";
import { durationText } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { barOf, durationOf, type Extent, hasFailed, type SpanTreeRow } from "./span-rows.ts";

type SpanLineProps = {
  row: SpanTreeRow;
  /** Where it lies in its list, in pixels. */
  top: number;
  height: number;
  isFound: boolean;
  extent: Extent;
  now: number;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
};

/** One span: its place in the tree, when it was, and how long it took. */
export const SpanLine = memo(function SpanLine(props: SpanLineProps) {
  const { row, top, height, extent, now, isSelected, isFound, onSelect, onToggle } = props;
  const { span, level, children, isOpen, place, siblings } = row;
  const failed = hasFailed(span);
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
      className={classes(
        "span-line",
        isSelected && "span-line-selected",
        failed && "span-line-failed",
        isFound && "span-line-found",
      )}
      style={{ "--level": level, top, height } as CSSProperties}
      data-testid="span"
      data-span={span.name}
      data-status={span.status}
      onClick={() => onSelect(span.id)}
    >
      <span className="span-name">
        <Fold row={row} onToggle={onToggle} />
        <SpanIcon span={span} />
        <span className="visually-hidden">{kindOf(span)} </span>
        <span className="span-words" title={span.name}>
          {span.name || WORDS.unnamed}
        </span>
        {failed && <CircleAlert className="span-failed" aria-label={WORDS.failed} />}
      </span>
      <Bar row={row} extent={extent} now={now} />
      <span className="span-took">{durationText(durationOf(span, now))}</span>
    </div>
  );
});

/** Opens and closes what is below a span. */
function Fold({ row: { span, children, isOpen }, onToggle }: Pick<SpanLineProps, "row" | "onToggle">) {
  if (children === 0) return <span className="span-fold" />;
  return (
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
  );
}

export const lineId = (spanId: string) => `span-${spanId}`;

function Bar({ row: { span }, extent, now }: Pick<SpanLineProps, "row" | "extent" | "now">) {
  const { left, width, firstToken } = barOf(span, extent, now);
  return (
    <span className="span-lane" aria-hidden="true">
      <span
        className={classes("span-bar", `span-bar-${span.run_type}`, `span-bar-${span.status}`)}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
      {firstToken !== undefined && (
        <span className="span-first-token" style={{ left: `${firstToken}%` }} title={WORDS.firstToken} />
      )}
    </span>
  );
}

const KINDS: Record<string, { name: string; icon: typeof Box }> = {
  llm: { name: WORDS.modelCall, icon: Sparkles },
  tool: { name: WORDS.toolCall, icon: Wrench },
  retriever: { name: WORDS.retrieval, icon: Search },
  embedding: { name: WORDS.embedding, icon: Hash },
  prompt: { name: WORDS.prompt, icon: MessageSquareText },
  parser: { name: WORDS.parser, icon: Braces },
};

/** What kind of thing a span is, in words. */
export function kindOf({ run_type, parent_id, node, name }: Span): string {
  const known = KINDS[run_type]?.name;
  if (known) return known;
  if (parent_id === null) return WORDS.run;
  return node === name ? WORDS.node : WORDS.chain;
}

export function SpanIcon({ span }: { span: Span }) {
  const own = span.parent_id === null ? Workflow : span.node === span.name ? Box : Link2;
  const Icon = KINDS[span.run_type]?.icon ?? own;
  return <Icon className={`span-icon span-icon-${span.run_type}`} aria-hidden="true" />;
}
