import type { TableProps } from "./column.ts";
import { gridOf } from "./column.ts";
import "./table.css";
import { TableHead, TableRow } from "./table-row.tsx";

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
