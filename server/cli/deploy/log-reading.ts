import type { ReadLogLine } from "./answer.ts";
import type { DeploymentCalls, LogRequest } from "./deployments.ts";
import { Unreachable } from "./failure.ts";
import { onInterrupt } from "./signals.ts";
import { clockTime, printJson } from "./table.ts";
import { styled } from "./text-output.ts";

type Query = Omit<LogRequest, "order" | "cursor">;

const PAUSE_MS = 1_000;
const PAGE = 100;
/** How many ids are remembered of the lines around the moment from which a log is followed. */
const REMEMBERED = 1_000;

const STYLES: Record<string, Parameters<typeof styled>[0]> = {
  WARNING: "yellow",
  ERROR: "red",
  CRITICAL: "red",
};

/** The newest lines that a query asks for, oldest first. */
export async function readLog(deployments: DeploymentCalls, query: Query): Promise<ReadLogLine[]> {
  const found: ReadLogLine[] = [];
  let cursor: string | undefined;
  for (;;) {
    const wanted = Math.min(PAGE, query.limit - found.length);
    const page = await deployments.logs({ ...query, order: "desc", limit: wanted, cursor });
    found.push(...page.lines);
    cursor = page.next;
    if (page.lines.length < wanted || found.length >= query.limit || cursor === undefined)
      return found.reverse();
  }
}

/** Shows what comes behind these lines until Ctrl-C; a server that restarts is waited for. */
export async function followLog(
  deployments: DeploymentCalls,
  query: Query,
  shown: ReadLogLine[],
  json: boolean,
): Promise<void> {
  const detach = onInterrupt(() => {
    process.stderr.write("Stopped.\n");
    process.exit(0);
  });
  const last = shown.at(-1);
  // Several lines may be of one instant: from there on, without those that were shown.
  const from = last === undefined ? query.from : new Date(last.timestamp).toISOString();
  const known = new Set(shown.slice(-REMEMBERED).map(({ id }) => id));
  let cursor: string | undefined;
  try {
    for (;;) {
      const page = await deployments
        .logs({ ...query, from, order: "asc", limit: PAGE, cursor })
        .catch(orNothing);
      printLog(
        page.lines.filter(({ id }) => !known.has(id)),
        json,
      );
      cursor = page.next ?? cursor;
      if (page.lines.length < PAGE) await Bun.sleep(PAUSE_MS);
    }
  } finally {
    detach();
  }
}

function orNothing(error: unknown): { lines: ReadLogLine[]; next: undefined } {
  if (error instanceof Unreachable) return { lines: [], next: undefined };
  throw error;
}

/** `[2026-11-22 02:30:00] [INFO] text`, in UTC. */
export function printLog(lines: ReadLogLine[], json: boolean): void {
  if (json) printJson(lines);
  else process.stdout.write(lines.map(asText).join(""));
}

function asText({ timestamp, level, message }: ReadLogLine): string {
  const line = `[${clockTime(timestamp)}] [${level}] ${message}`;
  const style = STYLES[level];
  return `${style ? styled(style, line) : line}\n`;
}
