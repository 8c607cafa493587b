import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { useWide } from "../../ui/index.ts";
import { gridOf, TableHead, type TableProps, TableRow } from "./table.tsx";
import { WORDS } from "./words.ts";
import "./table.css";
import "./virtual-table.css";

type VirtualTableProps<Row> = TableProps<Row> & {
  /** Called when the end comes near. */
  loadMore?: () => void;
  /** Whether there is more than these rows. */
  hasMore?: boolean;
  /** Told when the list is scrolled away from its top, and when it is back there. */
  onTop?: (isAtTop: boolean) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
};

const ROW_PX = 44;
const CARD_PX = 96;
/** The head and the borders of a table, which cards do not have. */
const AROUND_PX = 40;
const AROUND_CARDS_PX = 2;
/** Rows beyond the edge, so that a flick of the wheel finds them there. */
const BEYOND = 8;
/** From so many rows before the end, more are asked for. */
const NEAR = 20;

/** A long list in a box of its own that scrolls: only the rows that can be seen are on the page. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, rows, rowKey, hrefOf, onOpen, empty, label, testId, hasMore = false } = props;
  const box = useRef<HTMLElement>(null);
  const { items, height, around, measure } = useVisibleRows(props, box);
  usePlace(box, rows.length > 0);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const grid = gridOf(columns);
  return (
    <section
      ref={box}
      className="table-scroll virtual-table"
      style={{ maxHeight: height + around }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
      aria-label={label ?? WORDS.list}
      onKeyDown={props.onKeyDown}
    >
      <table
        className="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length}
        data-testid={testId}
      >
        <TableHead columns={columns} grid={grid} />
        <tbody className="table-rows" style={{ height }}>
          {items.map(({ key, index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <TableRow
                key={key}
                row={row}
                id={rowKey(row)}
                columns={columns}
                grid={grid}
                index={index}
                start={start}
                measure={measure}
                {...(hrefOf && { href: hrefOf(row) })}
                {...(onOpen && { onOpen })}
              />
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** How far down somebody was in the list of an address, for when they come back to it. */
const places = new Map<string, number>();
const MOST_PLACES = 100;

/** Brings somebody who comes back to a list to where they were. */
function usePlace(box: RefObject<HTMLElement | null>, hasRows: boolean): void {
  useLayoutEffect(() => {
    const list = box.current;
    if (!hasRows || !list) return;
    const address = () => window.location.pathname + window.location.search;
    list.scrollTop = places.get(address()) ?? 0;
    const remember = () => {
      places.delete(address());
      places.set(address(), list.scrollTop);
      const [oldest] = places.keys();
      if (places.size > MOST_PLACES && oldest !== undefined) places.delete(oldest);
    };
    list.addEventListener("scroll", remember, { passive: true });
    return () => list.removeEventListener("scroll", remember);
  }, [box, hasRows]);
}

/** Which rows can be seen and where they lie; asks for more when the end comes near. */
function useVisibleRows<Row>(props: VirtualTableProps<Row>, box: RefObject<HTMLElement | null>) {
  const { rows, rowKey, loadMore, hasMore = false, onTop } = props;
  const isWide = useWide();
  // Another function makes it lay out every row again, each time that one scrolls.
  const getItemKey = useCallback(
    (index: number) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
    [rows, rowKey],
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (isWide ? ROW_PX : CARD_PX),
    overscan: BEYOND,
    // Drawing may lag a frame behind a flick, as far as the rows beyond the edge reach; the scrolling may not.
    useFlushSync: false,
    getItemKey,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - NEAR) loadMore?.();
  }, [hasMore, last, rows.length, loadMore]);
  const isAtTop = (virtualizer.scrollOffset ?? 0) <= 0;
  useEffect(() => onTop?.(isAtTop), [onTop, isAtTop]);
  const around = isWide ? AROUND_PX : AROUND_CARDS_PX;
  return { items, height: virtualizer.getTotalSize(), around, measure: virtualizer.measureElement };
}
