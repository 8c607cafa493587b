import type { DeploymentLogPage, LogLine, LogPage } from "@berth/server";
import { api } from "../../data/index.ts";
import { pathOf } from "../../deployment/index.ts";

/** Which lines are looked at. */
export type LogChoice = {
  deploymentId: string;
  /** Null for all revisions, which only run-time logs have. */
  revisionId: string | null;
  type: "build" | "deploy";
  query: string;
  level: string;
};

/** As many as one page has. */
export const PAGE_LINES = { ofRevision: 500, ofAll: 100 };

export const pageSizeOf = ({ revisionId }: LogChoice): number =>
  revisionId === null ? PAGE_LINES.ofAll : PAGE_LINES.ofRevision;

/** The newest lines, or those before a line; oldest first. */
export async function readLog(choice: LogChoice, before: string, signal?: AbortSignal): Promise<LogLine[]> {
  const { deploymentId, revisionId, type } = choice;
  const filters = filtersOf(choice);
  if (revisionId !== null) {
    const page = {
      type,
      order: "desc",
      limit: String(PAGE_LINES.ofRevision),
      ...(before && { offset: before }),
    };
    const query = new URLSearchParams({ ...page, ...filters });
    const path = `${pathOf(deploymentId)}/revisions/${revisionId}/logs?${query}`;
    return (await api<LogPage>(path, signal ? { signal } : {})).logs.reverse();
  }
  const page = { sort_order: "desc", page_size: String(PAGE_LINES.ofAll), ...(before && { cursor: before }) };
  const query = new URLSearchParams({ deployment_id: deploymentId, ...page, ...filters });
  return (
    await api<DeploymentLogPage>(`/v2/deployment-logs?${query}`, signal ? { signal } : {})
  ).items.reverse();
}

/** Where the lines behind `since` are told as they are written. */
export function followPath(choice: LogChoice, since: string): string {
  const { deploymentId, revisionId, type } = choice;
  const query = new URLSearchParams({
    ...{ type, since },
    ...(revisionId !== null && { revision_id: revisionId }),
    ...filtersOf(choice),
  });
  return `${pathOf(deploymentId)}/logs?${query}`;
}

const filtersOf = ({ query, level }: LogChoice) => ({ ...(query && { query }), ...(level && { level }) });

/** The colours of terminals, which a page has no use for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is how they begin.
const COLOURS = /\u001b\[[0-9;]*m/g;

export type ShownLine = { text: string; fields?: string };

/** What a line says: of a JSON line its message, with the other fields behind it. */
export function shownLine(message: string): ShownLine {
  const text = message.replace(COLOURS, "");
  if (!text.startsWith("{")) return { text };
  try {
    const {
      time: _,
      at: __,
      level: ___,
      msg,
      message: said = msg,
      event = said,
      ...fields
    } = JSON.parse(text);
    if (typeof event !== "string") return { text };
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
    return rest.length === 0 ? { text: event } : { text: event, fields: rest.join(" ") };
  } catch {
    return { text };
  }
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
