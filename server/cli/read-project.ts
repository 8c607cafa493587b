import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { leave } from "../exit/index.ts";
import { checkArguments } from "./arguments.ts";
import { failWith } from "./fail.ts";

const args = {
  project: { type: "string", required: true, valueHint: "DIR", description: "The root of the source" },
  config: {
    type: "string",
    required: true,
    valueHint: "FILE",
    description: "The configuration file, from the root of the source",
  },
} satisfies ArgsDef;

/** Reads the files of a project for a build, and reports what to install. A build runs it. */
export const readProject = defineCommand({
  meta: { name: "read-project", description: "Read the files of a project for a build", hidden: true },
  args,
  run: async ({ args: { project, config }, rawArgs }) => {
    try {
      checkArguments(rawArgs, args);
    } catch (error) {
      failWith(error);
    }
    const { reportProject } = await import("../control/index.ts");
    const lines = await reportProject(resolve(project), config);
    process.stdout.write(`${lines.join("\n")}\n`, () => leave(0));
  },
});
