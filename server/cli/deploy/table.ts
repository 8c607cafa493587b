/** Rows under their heads, two blanks between columns and dashes under the heads. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
    .map((text) => `${text}\n`)
    .join("");
}

/** `2026-11-22 02:30:00`, in UTC. */
export function clockTime(at: string | number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString().slice(0, 19).replace("T", " ");
}

/** Prints things for a program: one JSON object per line. */
export function printJson(things: readonly object[]): void {
  process.stdout.write(things.map((thing) => `${JSON.stringify(thing)}\n`).join(""));
}
