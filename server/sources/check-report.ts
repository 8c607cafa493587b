/** What loading a project once came to: its graphs and what is wrong with them, or why it cannot be served. */
export type CheckReport = { graphs: string[]; warnings: string[] } | { error: string };

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
    const report = JSON.parse(line.slice(MARK.length)) as Record<string, unknown>;
    const { error, graphs, warnings } = report;
    if (typeof error === "string") return { error };
    return Array.isArray(graphs) ? { graphs: graphs.map(String), warnings: texts(warnings) } : undefined;
  } catch {
    return undefined;
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
