import { ChevronDown, ChevronRight, CircleAlert } from "lucide-react";
import { type CSSProperties, memo } from "react";
import { classes } from "../../../ui/index.ts";
import { durationText } from "../../ui/index.ts";
import { kindOf, SpanIcon } from "./span-icon.tsx";
import type { SpanRow } from "./span-rows.ts";
import { barOf, durationOf, type Extent } from "./timeline.ts";

type SpanLineProps = {
  row: SpanRow;
  extent: Extent;
  now: number;
  isSelected: boolean;
  onSelect: (spanId: string) => void;
  onToggle: (spanId: string) => void;
};

const FAILED = new Set(["error", "timeout"]);

/** One span: its place in the tree, when it was, and how long it took. */
export const SpanLine = memo(function SpanLine(props: SpanLineProps) {
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
        <span className="span-first-token" style={{ left: `${firstToken}%` }} title="First token" />
      )}
    </span>
  );
}
