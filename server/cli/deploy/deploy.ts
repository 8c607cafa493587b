import { type ArgsDef, defineCommand } from "citty";
import { checkArguments, firstArgument, UsageError } from "../arguments.ts";
import { builtIn } from "../template-names.ts";
import { connectionOptions, targetOptions, waitOptions } from "./command-options.ts";

const deployOptions = {
  ...targetOptions,
  "deployment-type": {
    type: "string",
    valueHint: "dev|prod",
    default: "dev",
    description: "Type of a new deployment; an existing deployment keeps its type",
  },
  "install-command": {
    type: "string",
    valueHint: "COMMAND",
    description: "Command that installs the dependencies, at the root of the upload (default: bun install)",
  },
  "build-command": {
    type: "string",
    valueHint: "COMMAND",
    description:
      "Command that the server runs after the installation, in the folder of the configuration file",
  },
  template: {
    type: "string",
    valueHint: "NAME",
    description: `Deploy a built-in template instead of this folder: ${builtIn.join(", ")}`,
  },
  image: {
    type: "string",
    valueHint: "URI",
    description: "Deploy a container image that the server's engine has or can pull",
  },
  local: {
    type: "boolean",
    description: "Build a container image on this machine (docker or podman) and push it to Berth",
  },
  "require-api-key": {
    type: "boolean",
    description: "Callers need an API key of Berth even if the project has its own auth",
    negativeDescription: "Do not, from now on",
  },
  ...waitOptions,
  ...connectionOptions,
} satisfies ArgsDef;

const project = defineCommand({
  meta: { name: "project", hidden: true, description: "Deploy the project in this folder" },
  args: deployOptions,
  run: async ({ args, rawArgs }) => {
    const [{ runSession }, { deployProject }] = await Promise.all([
      import("./session.ts"),
      import("./project-command.ts"),
    ]);
    await runSession({ rawArgs, takes: deployOptions, flags: args }, (session) =>
      deployProject(args, session),
    );
  },
});

const subCommands = {
  list: () => import("./list.ts").then((module) => module.list),
  logs: () => import("./logs.ts").then((module) => module.logs),
  delete: () => import("./remove.ts").then((module) => module.remove),
  revisions: () => import("./revisions.ts").then((module) => module.revisions),
  interrupt: () => import("./revisions.ts").then((module) => module.interrupt),
  rollback: () => import("./revisions.ts").then((module) => module.rollback),
  project,
};

/** `berth deploy` itself deploys the project in this folder; the words behind it look after deployments. */
export const deploy = defineCommand({
  meta: {
    name: "deploy",
    description: "Deploy the project in this folder to a running Berth, or update its deployment (beta)",
  },
  args: deployOptions,
  default: "project",
  subCommands,
  setup: async ({ rawArgs }) => {
    const word = firstArgument(rawArgs, deployOptions);
    if (word === undefined || (Object.hasOwn(subCommands, word) && rawArgs[0] === word)) return;
    try {
      if (Object.hasOwn(subCommands, word))
        throw new UsageError(`options have to come after the command: berth deploy ${word} …`);
      checkArguments(rawArgs, deployOptions);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      (await import("./session.ts")).refuse(rawArgs, error);
    }
  },
});
