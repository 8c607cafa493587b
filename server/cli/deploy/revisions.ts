import { type ArgsDef, defineCommand } from "citty";
import { UsageError } from "../arguments.ts";
import { isKept, type ReadDeployment, type ReadRevision } from "./answer.ts";
import { connectionOptions, targetOptions } from "./command-options.ts";
import { DeploymentCalls } from "./deployments.ts";
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
  limit: { type: "string", valueHint: "N", default: "10", description: "The most to list" },
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
      const deployments = new DeploymentCalls(connect(args, session));
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
function shownStatus({ id, status }: ReadRevision, { active_revision_id }: ReadDeployment): string {
  return status === "DEPLOYED" && id !== active_revision_id ? "REPLACED" : status;
}

function asTable(revisions: ReadRevision[], deployment: ReadDeployment): string {
  const columns: [head: string, cell: (revision: ReadRevision) => string][] = [
    ["Revision ID", ({ id }) => id],
    ["Status", (revision) => shownStatus(revision, deployment)],
    ["Created At", ({ created_at }) => clockTime(created_at ?? "")],
    ["Deployed By", ({ deployed_by }) => deployed_by?.name ?? ""],
    ["Message", ({ status_message }) => firstLine(status_message ?? "")],
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

function asJson(revision: ReadRevision, deployment: ReadDeployment): object {
  const { id, status, created_at = "", deployed_at, status_message, created_by, deployed_by } = revision;
  return {
    id,
    status,
    active: id === deployment.active_revision_id,
    created_at,
    deployed_at: deployed_at || null,
    status_message: status_message || null,
    build_kept: isKept(revision),
    created_by: created_by?.name ?? null,
    deployed_by: deployed_by?.name ?? null,
  };
}
