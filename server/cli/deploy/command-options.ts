import type { ArgsDef } from "citty";

/** What every command that talks to the control plane takes: the project says where that is, and what it is called. */
export const connectionOptions = {
  "api-key": {
    type: "string",
    valueHint: "KEY",
    description: "API key of Berth (default: SERVICE_API_KEY, from the environment or .env)",
  },
  "host-url": {
    type: "string",
    valueHint: "URL",
    description: "Address of Berth (default: SERVICE_ENDPOINT; without it, this machine, at PORT or 8123)",
  },
  config: {
    type: "string",
    alias: "c",
    valueHint: "FILE",
    description: "The project's configuration file (default: graph.json in the current folder)",
  },
  json: { type: "boolean", description: "Print one JSON object per line instead of text" },
  input: {
    type: "boolean",
    default: true,
    description: "Ask for what is missing, in a terminal",
    negativeDescription: "Never ask anything",
  },
} satisfies ArgsDef;

/** Which deployment is meant. */
export const targetOptions = {
  name: {
    type: "string",
    valueHint: "NAME",
    description: "Name of the deployment (default: SERVICE_DEPLOYMENT_NAME; without it, the folder's name)",
  },
  "deployment-id": {
    type: "string",
    valueHint: "ID",
    description: "Id of the deployment, instead of its name",
  },
} satisfies ArgsDef;

/** Those of a command that waits until a revision has ended: serves, has failed, or was stopped. */
export const endOptions = {
  wait: {
    type: "boolean",
    default: true,
    description: "Wait until the revision has ended",
    negativeDescription: "Do not wait: end as soon as the server has accepted the request",
  },
  timeout: {
    type: "string",
    valueHint: "SECONDS",
    default: "900",
    description:
      "How long to wait for the server in total. After that, the command ends with exit code 3, and the server continues",
  },
} satisfies ArgsDef;

/** Those of a command that has a revision built. */
export const waitOptions = {
  ...endOptions,
  verbose: { type: "boolean", description: "Show the build log while the server writes it" },
} satisfies ArgsDef;
