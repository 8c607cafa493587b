import { type ArgsDef, defineCommand } from "citty";
import { terminalText } from "../../log/index.ts";
import { UsageError } from "../arguments.ts";
import type { ReadLogLine } from "./answer.ts";
import { connectionOptions, targetOptions } from "./command-options.ts";
import { DeploymentCalls, type LogRequest } from "./deployments.ts";
import { EXIT, Unreachable } from "./failure.ts";
import { clockTime, printJson, styled } from "./output.ts";
import { countFrom } from "./revisions.ts";
import { connect, type DeploySession, onInterrupt, runSession, targetOf } from "./session.ts";

const takes = {
  ...targetOptions,
  type: {
    type: "string",
    valueHint: "deploy|build",
    default: "deploy",
    description: "Which log to show: the agent's, or that of its build",
  },
  "revision-id": {
    type: "string",
    valueHint: "ID",
    description: "Only lines of this revision (default: all; with --type=build, the latest)",
  },
  level: {
    type: "string",
    valueHint: "LEVEL",
    description: "Only lines of this level: debug, info, warning, error, critical",
  },
  limit: {
    type: "string",
    valueHint: "N",
    default: "100",
    description: "How many of the newest lines to show",
  },
  query: {
    type: "string",
    alias: "q",
    valueHint: "TEXT",
    default: "",
    description: "Only lines that contain this",
  },
  "start-time": { type: "string", valueHint: "TIME", description: "Only lines from this time on (ISO 8601)" },
  "end-time": { type: "string", valueHint: "TIME", description: "Only lines until this time (ISO 8601)" },
  follow: { type: "boolean", alias: "f", description: "Show new lines as they arrive, until Ctrl-C" },
  ...connectionOptions,
} satisfies ArgsDef;

const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

type Flags = {
  type: string;
  level?: string | undefined;
  limit: string;
  query: string;
  "revision-id"?: string | undefined;
  "start-time"?: string | undefined;
  "end-time"?: string | undefined;
};

export const logs = defineCommand({
  meta: { name: "logs", description: "Show the log of a deployment" },
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
      const asked = queryFrom(args);
      const deployments = new DeploymentCalls(connect(args, session));
      const { id } = await targetOf(args, deployments, session);
      const revisionId = args["revision-id"] ?? (await latestOf(deployments, id, asked.type, session));
      const query = { ...asked, deploymentId: id, revisionId };
      const lines = await readLog(deployments, query);
      printLog(lines, session.json);
      if (args.follow) await followLog(deployments, query, lines, session.json);
      else if (lines.length === 0 && !session.json) process.stdout.write("No log entries found.\n");
      return EXIT.done;
    }),
});

function queryFrom(flags: Flags): Omit<LogRequest, "deploymentId" | "revisionId" | "order"> {
  const { type } = flags;
  if (type !== "deploy" && type !== "build")
    throw new UsageError(`--type must be deploy or build, not "${type}"`);
  const level = flags.level?.toUpperCase();
  if (level !== undefined && !LEVELS.includes(level))
    throw new UsageError(`--level must be one of ${LEVELS.join(", ").toLowerCase()}, not "${flags.level}"`);
  return {
    type,
    level,
    limit: countFrom(flags.limit),
    query: flags.query || undefined,
    from: timeFrom("--start-time", flags["start-time"]),
    to: timeFrom("--end-time", flags["end-time"]),
  };
}

function timeFrom(option: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`${option} must be a time such as 2026-01-31T12:00:00Z, not "${given}"`);
  return time.toISOString();
}

/** The log of a build is that of one revision; what an agent says goes on from one to the next. */
async function latestOf(
  deployments: DeploymentCalls,
  id: string,
  type: LogRequest["type"],
  { output, json }: Pick<DeploySession, "output" | "json">,
): Promise<string | undefined> {
  if (type !== "build") return undefined;
  const latest = await deployments.latestRevision(id);
  if (!json) output.note(`Using latest revision: ${latest.id}`);
  return latest.id;
}

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
async function readLog(deployments: DeploymentCalls, query: Query): Promise<ReadLogLine[]> {
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
async function followLog(
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
function printLog(lines: ReadLogLine[], json: boolean): void {
  if (json) printJson(lines);
  else process.stdout.write(lines.map(asText).join(""));
}

function asText({ timestamp, level, message }: ReadLogLine): string {
  const line = `[${clockTime(timestamp)}] [${level}] ${terminalText(message)}`;
  const style = STYLES[level];
  return `${style ? styled(style, line) : line}\n`;
}
