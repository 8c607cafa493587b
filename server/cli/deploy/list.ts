import { type ArgsDef, defineCommand } from "citty";
import { connectionOptions } from "./command-options.ts";
import { Deployments } from "./deployments.ts";
import { EXIT } from "./failure.ts";
import { connect, runSession } from "./session.ts";
import { printJson, table } from "./table.ts";

const takes = {
  "name-contains": {
    type: "string",
    valueHint: "TEXT",
    default: "",
    description: "Only deployments whose name holds this",
  },
  ...connectionOptions,
} satisfies ArgsDef;

export const list = defineCommand({
  meta: { name: "list", description: "List the deployments" },
  args: takes,
  run: ({ args, rawArgs }) =>
    runSession({ rawArgs, takes, flags: args }, async (session) => {
      const found = await new Deployments(connect(args, session)).list(args["name-contains"]);
      if (session.json) printJson(found.map(({ id, name, source, url }) => ({ id, name, source, url })));
      else if (found.length === 0) process.stdout.write("No deployments found.\n");
      else {
        const rows = found.map(({ id, name, url }) => [id, name, url ?? "-"]);
        process.stdout.write(table(["Deployment ID", "Deployment Name", "Deployment URL"], rows));
      }
      return EXIT.done;
    }),
});
