import { type ArgsDef, defineCommand } from "citty";
import { isKept, type ReadDeployment, type ReadRevision } from "./answer.ts";
import { connectionOptions, endOptions, targetOptions } from "./command-options.ts";
import { DeploymentCalls } from "./deployments.ts";
import { DeployFailure, EXIT } from "./failure.ts";
import { connect, runSession } from "./session.ts";
import { clockTime } from "./table.ts";
import { targetOf } from "./target.ts";
import { patienceFrom, waitForRevision } from "./wait.ts";

const takes = {
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
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
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
    `deployment '${deployment.name}' has no earlier revision to go back to: "berth deploy revisions list ${deployment.id}" shows those that there are`,
  );
}
