import { type CSSProperties, type MouseEvent, memo, type ReactNode, type Ref } from "react";
import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import "./table.css";

/** A list whose rows have the same facts each; on a phone, one card for each row. */
export function Table<Row>({ columns, rows, rowKey, hrefOf, onOpen, empty, label, testId }: TableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const grid = gridOf(columns);
  return (
    <div className="table-scroll">
      <table className="table" aria-label={label} data-testid={testId}>
        <TableHead columns={columns} grid={grid} />
        <tbody className="table-rows">
          {rows.map((row) => (
            <TableRow
              key={rowKey(row)}
              row={row}
              columns={columns}
              grid={grid}
              id={rowKey(row)}
              {...(hrefOf && { href: hrefOf(row) })}
              {...(onOpen && { onOpen })}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The heads of the columns. */
export function TableHead<Row>({ columns, grid }: { columns: readonly Column<Row>[]; grid: string }) {
  return (
    <thead className="table-head">
      <tr className="table-row" style={gridStyle(grid)}>
        {columns.map(({ name, align, hideName }) => (
          <th key={name} scope="col" className={classes("table-cell", align === "end" && "table-end")}>
            <span className={hideName ? "visually-hidden" : undefined}>{name}</span>
          </th>
        ))}
      </tr>
    </thead>
  );
}

type TableRowProps<Row> = {
  row: Row;
  id: string;
  columns: readonly Column<Row>[];
  grid: string;
  href?: string;
  onOpen?: (row: Row) => void;
  /** Its place in a list of which only a part is on the page. */
  index?: number;
  /** How far down it lies in such a list, in pixels. */
  start?: number;
  measure?: Ref<HTMLTableRowElement>;
};

/**
 * One row. Its first cell holds the link or button, and a click elsewhere on the row presses it. What stays the same
 * is not made anew while its list scrolls.
 */
export const TableRow = memo(PlainRow) as typeof PlainRow;

function PlainRow<Row>(props: TableRowProps<Row>) {
  const { row, id, columns, grid, href, onOpen, index, start, measure } = props;
  const opens = href !== undefined || onOpen !== undefined;
  // What stands in front of it is there to be used, not to lead anywhere.
  const head = columns.findIndex(({ isControl }) => !isControl);
  const place = index === undefined ? {} : { "data-index": index, "aria-rowindex": index + 1 };
  return (
    <tr
      ref={measure}
      className={classes("table-row", opens && "table-row-opens")}
      style={{ ...gridStyle(grid), ...(start !== undefined && { transform: `translateY(${start}px)` }) }}
      data-testid="table-row"
      data-row={id}
      {...place}
      onClick={opens ? pressFirst : undefined}
    >
      {columns.map(({ name, cell, align, wideOnly, hideName }, at) => (
        <td
          key={name}
          className={classes(
            "table-cell",
            align === "end" && "table-end",
            wideOnly && "table-wide-only",
            at === head && "table-cell-head",
          )}
          data-label={hideName || at === head ? undefined : name}
        >
          {at === head && opens ? (
            <Opener href={href} onOpen={() => onOpen?.(row)} content={cell(row)} />
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

const gridStyle = (grid: string) => ({ "--table-grid": grid }) as CSSProperties;

type OpenerProps = { href: string | undefined; onOpen: () => void; content: React.ReactNode };

function Opener({ href, onOpen, content }: OpenerProps) {
  if (href === undefined)
    return (
      <button type="button" className="table-opener" data-opener="" onClick={onOpen}>
        {content}
      </button>
    );
  return (
    <Link href={href} className="table-opener" data-opener="">
      {content}
    </Link>
  );
}

/** What can be used in a row is used; anything else of it opens the row, as far as nothing is being selected. */
function pressFirst(event: MouseEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  if (!(target instanceof Element) || target.closest("a, button, input, select, label, [popover]")) return;
  if (!window.getSelection()?.isCollapsed) return;
  currentTarget.querySelector<HTMLElement>("[data-opener]")?.click();
}

/** One column of a table. */
export type Column<Row> = {
  /** Its head. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the end. */
  align?: "start" | "end";
  /** As in CSS grid: `minmax(8rem, 2fr)`, `6rem`; without one, an equal share. */
  width?: string;
  /** Left out on a phone, where the first column is the heading of the others. */
  wideOnly?: boolean;
  /** Its head is for those who cannot see it only, as above buttons. */
  hideName?: boolean;
  /** Holds something to be used, in front of the column that is the row's heading. */
  isControl?: boolean;
};

export type TableProps<Row> = {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Where a row leads: its first column becomes the link, and the whole row can be clicked. */
  hrefOf?: (row: Row) => string;
  /** What happens when a row is chosen, where it does not lead to an address. */
  onOpen?: (row: Row) => void;
  /** Shown in place of a table without rows. */
  empty?: ReactNode;
  /** What it lists, for those who cannot see it. */
  label?: string;
  testId?: string;
};

export const gridOf = <Row,>(columns: readonly Column<Row>[]): string =>
  columns.map(({ width = "minmax(0, 1fr)" }) => width).join(" ");
