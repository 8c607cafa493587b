import { type ArgsDef, defineCommand } from "citty";
import { type ReadDeployment, urlOf } from "./answer.ts";
import { connectionOptions } from "./command-options.ts";
import { DeploymentCalls } from "./deployments.ts";
import { EXIT } from "./failure.ts";
import { printJson, table } from "./output.ts";
import { connect, runSession } from "./session.ts";

const takes = {
  "name-contains": {
    type: "string",
    valueHint: "TEXT",
    default: "",
    description: "Only deployments whose name contains this",
  },
  ...connectionOptions,
} satisfies ArgsDef;

export const list = defineCommand({
  meta: { name: "list", description: "List the deployments" },
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
      const found = await new DeploymentCalls(connect(args, session)).list(args["name-contains"]);
      if (session.json) printJson(found.map(asJson));
      else if (found.length === 0) process.stdout.write("No deployments found.\n");
      else {
        const rows = found.map(asJson).map(({ id, name, status, url }) => [id, name, status, url ?? "-"]);
        process.stdout.write(table(["Deployment ID", "Deployment Name", "Status", "Deployment URL"], rows));
      }
      return EXIT.done;
    }),
});

/** One of which nothing serves is what its newest revision is, and has no address that answers. */
function asJson(deployment: ReadDeployment) {
  const { id, name, source, active_revision_id, latest_revision_status } = deployment;
  const serves = Boolean(active_revision_id);
  const status = serves ? "DEPLOYED" : (latest_revision_status ?? "-");
  return { id, name, source, status, url: serves ? urlOf(deployment) : null };
}
