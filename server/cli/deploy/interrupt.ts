import { type ArgsDef, defineCommand } from "citty";
import type { ReadDeployment, ReadRevision } from "./answer.ts";
import { connectionOptions, endOptions, targetOptions } from "./command-options.ts";
import { DeploymentCalls } from "./deployments.ts";
import { DeployFailure, EXIT, type ExitCode } from "./failure.ts";
import type { DeployOutcome } from "./output.ts";
import { connect, runSession } from "./session.ts";
import { targetOf } from "./target.ts";
import { patienceFrom, untilEnd } from "./wait.ts";

const takes = {
  revision: {
    type: "positional",
    required: false,
    description:
      "The revision to stop (default: the one that is being built or started, else the newest waiting one)",
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
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
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
  throw new DeployFailure(`deployment '${name}' has no revision on its way: there is nothing to stop`);
}
