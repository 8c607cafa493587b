import { type ArgsDef, defineCommand } from "citty";
import { UsageError } from "../arguments.ts";
import type { Deployment, Revision } from "./answer.ts";
import { connectionOptions, targetOptions } from "./command-options.ts";
import { Deployments } from "./deployments.ts";
import { EXIT } from "./failure.ts";
import { connect, refuse, runSession } from "./session.ts";
import { clockTime, printJson, table } from "./table.ts";
import { targetOf } from "./target.ts";

const takes = {
  deployment: {
    type: "positional",
    required: false,
    description: "The deployment's id or name (default: that of this folder)",
  },
  limit: { type: "string", valueHint: "N", default: "10", description: "How many at most" },
  ...targetOptions,
  ...connectionOptions,
} satisfies ArgsDef;

const LONGEST = 80;
/** Columns that are there in any case. */
const ALWAYS = 3;

const list = defineCommand({
  meta: { name: "list", description: "List the revisions of a deployment, newest first" },
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
      const limit = countFrom(args.limit);
      const deployments = new Deployments(connect(args, session));
      const deployment = await targetOf(args, deployments, session);
      const revisions = await deployments.revisions(deployment.id, limit);
      if (session.json) printJson(revisions.map((revision) => asJson(revision, deployment)));
      else if (revisions.length === 0)
        process.stdout.write(`No revisions found for deployment ${deployment.id}.\n`);
      else process.stdout.write(asTable(revisions, deployment));
      return EXIT.done;
    }),
});

const subCommands = { list };

export const revisions = defineCommand({
  meta: { name: "revisions", description: "Look at the revisions of a deployment" },
  subCommands,
  setup: ({ rawArgs }) => {
    const [word] = rawArgs;
    if (word !== undefined && Object.hasOwn(subCommands, word)) return;
    const what = word === undefined ? "name a command" : `there is no command "${word}"`;
    refuse(rawArgs, new UsageError(`${what}: berth deploy revisions list`));
  },
});

/** A number of lines or rows. */
export function countFrom(given: string): number {
  if (!/^[1-9]\d{0,4}$/.test(given)) throw new UsageError(`--limit must be a number from 1, not "${given}"`);
  return Number(given);
}

/** One that was deployed and serves no more is REPLACED: only one of them is what answers. */
function shownStatus({ id, status }: Revision, { activeRevisionId }: Deployment): string {
  return status === "DEPLOYED" && id !== activeRevisionId ? "REPLACED" : status;
}

function asTable(revisions: Revision[], deployment: Deployment): string {
  const columns: [head: string, cell: (revision: Revision) => string][] = [
    ["Revision ID", ({ id }) => id],
    ["Status", (revision) => shownStatus(revision, deployment)],
    ["Created At", ({ createdAt }) => clockTime(createdAt)],
    ["Deployed By", ({ deployedBy }) => deployedBy ?? ""],
    ["Message", ({ message }) => firstLine(message ?? "")],
  ];
  // Where nobody is known and nothing is said, the columns of that say nothing either.
  const shown = columns.filter(
    ([, cell], at) => at < ALWAYS || revisions.some((revision) => cell(revision) !== ""),
  );
  const rows = revisions.map((revision) => shown.map(([, cell]) => cell(revision)));
  return table(
    shown.map(([head]) => head),
    rows,
  );
}

/** What fits behind the other columns; all of it is in the log. */
function firstLine(message: string): string {
  const [line = ""] = message.split("\n");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

function asJson(revision: Revision, deployment: Deployment): object {
  const { id, status, createdAt, deployedAt, message, buildKept, createdBy, deployedBy } = revision;
  return {
    id,
    status,
    active: id === deployment.activeRevisionId,
    created_at: createdAt,
    deployed_at: deployedAt,
    status_message: message,
    build_kept: buildKept,
    created_by: createdBy,
    deployed_by: deployedBy,
  };
}
