type Cell = string | number | null;

/** Spreadsheets take text that begins so for a formula, and carry it out. */
const FORMULA = /^[=+\-@\t\r]/;

/** A table as a file (RFC 4180): the first row names the columns. */
export function csv(name: string, columns: readonly string[], rows: Iterable<readonly Cell[]>): Response {
  return new Response([columns, ...rows].map(csvLine).join(""), {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/g, "-")}"`,
    },
  });
}

/** One row of such a table, with its end. */
export const csvLine = (row: readonly Cell[]): string => `${row.map(cellText).join(",")}\r\n`;

function cellText(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
