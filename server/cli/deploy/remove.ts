import { type ArgsDef, defineCommand } from "citty";
import { UsageError } from "../arguments.ts";
import { connectionOptions } from "./command-options.ts";
import { DeploymentCalls, meant } from "./deployments.ts";
import { EXIT } from "./failure.ts";
import { printJson } from "./output.ts";
import { connect, runSession, targetOf } from "./session.ts";

const takes = {
  deployment: {
    type: "positional",
    required: false,
    valueHint: "ID",
    description: "The deployment's id or name (default: the deployment of the project that --config names)",
  },
  force: { type: "boolean", description: "Do not ask" },
  ...connectionOptions,
} satisfies ArgsDef;

export const remove = defineCommand({
  meta: { name: "delete", description: "Delete a deployment, its processes and its data" },
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
      if (!args.deployment && args.config === undefined)
        throw new UsageError('name the deployment: berth deploy delete ID (see "berth deploy list")');
      const { questions } = session;
      if (!args.force && !questions)
        throw new UsageError(
          "this deletes the deployment and its data, and there is no terminal to ask in: add --force if you mean it",
        );
      const deployments = new DeploymentCalls(connect(args, session));
      const { id, name } = args.deployment
        ? await meant(deployments, args.deployment)
        : await targetOf({}, deployments, session);
      const question = `Are you sure you want to delete deployment ID ${id} ('${name}')?`;
      if (!args.force && !(await questions?.confirm(question))) {
        process.stderr.write("Aborted!\n");
        return EXIT.failed;
      }
      await deployments.delete(id);
      if (session.json) printJson([{ deleted: id, name }]);
      else process.stdout.write(`Deleted deployment ${id}.\n`);
      return EXIT.done;
    }),
});
