import { type ArgsDef, defineCommand } from "citty";
import { UsageError } from "../arguments.ts";
import { isKept, type ReadDeployment, type ReadRevision } from "./answer.ts";
import { connectionOptions, endOptions, targetOptions } from "./command-options.ts";
import { DeploymentCalls } from "./deployments.ts";
import { DeployFailure, EXIT, type ExitCode } from "./failure.ts";
import { clockTime, type DeployOutcome, printJson, table } from "./output.ts";
import { connect, refuse, runSession, targetOf } from "./session.ts";
import { patienceFrom, untilEnd, waitForRevision } from "./wait.ts";

const revisionsOptions = {
  deployment: {
    type: "positional",
    required: false,
    description: "The deployment's id or name (default: the deployment of this folder)",
  },
  limit: { type: "string", valueHint: "N", default: "10", description: "The most revisions to list" },
  ...targetOptions,
  ...connectionOptions,
} satisfies ArgsDef;

const LONGEST = 80;
/** Columns that are there in any case. */
const ALWAYS = 3;

const listed = defineCommand({
  meta: { name: "list", description: "List the revisions of a deployment, newest first" },
  args: revisionsOptions,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes: revisionsOptions, flags: args }, async (session) => {
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

const subCommands = { list: listed };

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

const rollbackOptions = {
  revision: {
    type: "positional",
    required: false,
    description: "The revision to serve again (default: the one deployed before the active one)",
  },
  ...targetOptions,
  ...endOptions,
  ...connectionOptions,
} satisfies ArgsDef;

export const rollback = defineCommand({
  meta: { name: "rollback", description: "Serve an earlier revision again, without a build" },
  args: rollbackOptions,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes: rollbackOptions, flags: args }, async (session) => {
      const { output } = session;
      const patience = patienceFrom(args.timeout);
      const deployments = new DeploymentCalls(connect(args, session, patience));
      const deployment = await targetOf(args, deployments, session);
      output.step(`Rolling back deployment '${deployment.name}' (ID: ${deployment.id})`);
      const { id: revisionId, deployed_at } = args.revision
        ? await deployments.revision(deployment.id, args.revision)
        : await previous(deployments, deployment);
      output.info(`Now serving ${deployment.active_revision_id ?? "nothing"}`);
      output.info(
        `Going back to ${revisionId}${deployed_at ? `, deployed ${clockTime(deployed_at)} UTC` : ""}`,
      );
      await deployments.redeploy(deployment.id, revisionId);
      if (args.wait) {
        const { id: deploymentId } = deployment;
        const wait = { deployments, output, deploymentId, revisionId };
        return waitForRevision({ ...wait, verbose: false, again: true });
      }
      const message = "Rollback triggered";
      output.result({ status: "submitted", message, deployment_id: deployment.id, revision_id: revisionId });
      return EXIT.done;
    }),
});

/** The newest one before the active one that was deployed and whose build is still there. */
async function previous(deployments: DeploymentCalls, deployment: ReadDeployment): Promise<ReadRevision> {
  const all = await deployments.revisions(deployment.id);
  // By its id only: one that serves on while it could not be started anew may have failed or been interrupted.
  const active = all.findIndex(({ id }) => id === deployment.active_revision_id);
  const found = all.slice(active + 1).find((one) => one.deployed_at && isKept(one));
  if (found) return found;
  throw new DeployFailure(
    `deployment '${deployment.name}' has no earlier revision to roll back to: "berth deploy revisions list ${deployment.id}" shows its revisions`,
  );
}

const interruptOptions = {
  revision: {
    type: "positional",
    required: false,
    description:
      "The revision to stop (default: the one that is being built or started; without one, the newest that waits)",
  },
  ...targetOptions,
  ...endOptions,
  ...connectionOptions,
} satisfies ArgsDef;

export const interrupt = defineCommand({
  meta: {
    name: "interrupt",
    description: "Stop a revision that is being built or started; the serving one continues",
  },
  args: interruptOptions,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes: interruptOptions, flags: args }, async (session) => {
      const { output } = session;
      const patience = patienceFrom(args.timeout);
      const deployments = new DeploymentCalls(connect(args, session, patience));
      const deployment = await targetOf(args, deployments, session);
      const revisionId = args.revision ?? (await onItsWay(deployments, deployment)).id;
      output.step(`Stopping revision ${revisionId} of '${deployment.name}'`);
      await deployments.interrupt(deployment.id, revisionId);
      const ids = { deployment_id: deployment.id, revision_id: revisionId };
      if (!args.wait) {
        output.result({ status: "submitted", message: "It is told to stop", ...ids });
        return EXIT.done;
      }
      const waiting = { deployments, output, deploymentId: deployment.id, revisionId };
      const end = await untilEnd({ ...waiting, verbose: false, again: false });
      output.settled();
      // What served before and was being started again serves on: that is no coming too late.
      const isTooLate = end.outcome === "succeeded" && deployment.active_revision_id !== revisionId;
      const { code, ...ending } = isTooLate ? TOO_LATE : end.outcome === "timed_out" ? TIMED_OUT : STOPPED;
      output.result({ ...ending, ...ids, ...(end.revision && { revision_status: end.revision.status }) });
      return code;
    }),
});

type Ending = { status: DeployOutcome; message: string; code: ExitCode };

const STOPPED: Ending = {
  status: "succeeded",
  message: "Interrupted. What served before goes on serving.",
  code: EXIT.done,
};
const TOO_LATE: Ending = {
  status: "failed",
  message: 'Too late: it is deployed. "berth deploy rollback" goes back to the one before.',
  code: EXIT.failed,
};
const TIMED_OUT: Ending = {
  status: "timed_out",
  message: "It is told to stop, and goes on for now.",
  code: EXIT.timedOut,
};

const ON_THEIR_WAY = ["CREATING", "AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING", "QUEUED"];

async function onItsWay(deployments: DeploymentCalls, { id, name }: ReadDeployment): Promise<ReadRevision> {
  const found = await deployments.revisions(id, undefined, ON_THEIR_WAY.join(","));
  const revision = found.find(({ status }) => status !== "QUEUED") ?? found[0];
  if (revision) return revision;
  throw new DeployFailure(
    `deployment '${name}' has no revision that is being built or started: there is nothing to stop`,
  );
}
