import type { ReactNode } from "react";

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

export const gridOf = <Row>(columns: readonly Column<Row>[]): string =>
  columns.map(({ width = "minmax(0, 1fr)" }) => width).join(" ");
