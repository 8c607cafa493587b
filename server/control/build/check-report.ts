/** What loading a project once came to: its graphs, or why it cannot be served. */
export type CheckReport = { graphs: string[] } | { error: string };

/** Begins the line of the report: the project's own modules may print whatever they like before it. */
const MARK = "berth-check: ";

/** The report as the one line that the check prints. */
export function writeReport(report: CheckReport): string {
  return `${MARK}${JSON.stringify(report)}`;
}

/** The report in a line of output, or nothing in any other line. */
export function readReport(line: string): CheckReport | undefined {
  if (!line.startsWith(MARK)) return undefined;
  try {
    const { error, graphs } = JSON.parse(line.slice(MARK.length)) as { error?: unknown; graphs?: unknown };
    if (typeof error === "string") return { error };
    return Array.isArray(graphs) ? { graphs: graphs.map(String) } : undefined;
  } catch {
    return undefined;
  }
}
