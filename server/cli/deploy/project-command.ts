import { basename, join } from "node:path";
import { commandFault } from "../../sources/index.ts";
import { UsageError } from "../arguments.ts";
import type { ReadDeployment } from "./answer.ts";
import { DeploymentCalls, meant } from "./deployments.ts";
import { EXIT, type ExitCode } from "./failure.ts";
import type { Output } from "./output.ts";
import { dotenvTexts, readEnvironment, readProject, type SecretsSource } from "./project.ts";
import { secretsOf } from "./secrets.ts";
import {
  connect,
  type DeploySession,
  nameFrom,
  projectSources,
  type SessionFlags,
  type TargetFlags,
} from "./session.ts";
import { type Begun, type DeployOrder, deploySource, deployTemplate } from "./source-flow.ts";
import { patienceFrom, waitForRevision } from "./wait.ts";

type DeployFlags = SessionFlags &
  TargetFlags & {
    "deployment-type": string;
    config?: string | undefined;
    "install-command"?: string | undefined;
    "build-command"?: string | undefined;
    template?: string | undefined;
    image?: string | undefined;
    local?: boolean | undefined;
    "require-api-key"?: boolean | undefined;
    wait: boolean;
    timeout: string;
    verbose?: boolean | undefined;
  };

const TYPES = ["dev", "prod", "dev_free", "serverless", "dedicated"];

/** Creates the deployment of a project or updates it, and waits until it serves. */
export async function deployProject(
  flags: DeployFlags,
  session: Omit<DeploySession, "client">,
): Promise<ExitCode> {
  const { output, sources } = session;
  const patience = patienceFrom(flags.timeout);
  checkFlags(flags);
  output.note("'berth deploy' is in beta: its options may still change.");
  const { environment, folder, begin } = await prepare(flags, session.folder);
  if (environment.warning) output.warn(environment.warning);
  if (environment.note) output.note(environment.note);
  const known = projectSources(sources, folder, environment);
  const deployments = new DeploymentCalls(connect(flags, { ...session, sources: known }, patience));
  const name = nameFrom(flags, known, flags.template ?? basename(folder));
  const secrets = environment.values && secretsOf(environment.values, isImage(flags));
  for (const skipped of secrets?.skipped ?? []) output.note(`Skipping reserved env var: ${skipped}`);
  const existing = await lookUp(deployments, flags, name, output);
  const requireApiKey = flags["require-api-key"];
  // Before anything else: what is asked for is asked for as soon as the new revision serves.
  if (existing && requireApiKey !== undefined)
    await deployments.patch(existing.id, { source_config: { require_api_key: requireApiKey } }, () => false);
  const begun = await begin({
    deployments,
    output,
    name: existing?.name ?? name,
    existing,
    deploymentType: flags["deployment-type"],
    secrets: secrets?.secrets,
    requireApiKey,
  });
  if (flags.wait) {
    const verbose = flags.verbose === true;
    return waitForRevision({ deployments, output, ...begun, verbose, again: false });
  }
  submitted(deployments, output, begun);
  return EXIT.done;
}

const isImage = ({ image, local }: DeployFlags): boolean => Boolean(image) || Boolean(local);

function checkFlags(flags: DeployFlags): void {
  const { template, image, local, "deployment-type": type } = flags;
  if ([template, image, local].filter(Boolean).length > 1)
    throw new UsageError("--template, --image and --local are three ways to deploy: give one of them");
  if (!TYPES.includes(type)) throw new UsageError(`--deployment-type must be dev or prod, not "${type}"`);
  for (const option of ["install-command", "build-command"] as const) {
    const fault = flags[option] && commandFault(flags[option]);
    if (fault) throw new UsageError(`--${option}: ${fault}`);
  }
}

type Prepared = {
  environment: SecretsSource;
  folder: string;
  begin(order: DeployOrder): Promise<Begun>;
};

/** What is deployed by which of the three ways, read as far as it is on this machine. */
async function prepare(flags: DeployFlags, folder: string): Promise<Prepared> {
  const { template, image, local } = flags;
  if (template || image) {
    const file = join(folder, ".env");
    const environment = { values: dotenvTexts(file), file, warning: null, note: null };
    return {
      environment,
      folder,
      begin: async (order) => {
        if (template) return deployTemplate({ ...order, template });
        return (await import("./image-flow.ts")).deployImage({ ...order, image: image ?? "" });
      },
    };
  }
  const project = readProject(folder, flags.config);
  const environment = await readEnvironment(project);
  const secretsFile = environment.file;
  const commands = {
    ...(flags["install-command"] ? { install_command: flags["install-command"] } : {}),
    ...(flags["build-command"] ? { build_command: flags["build-command"] } : {}),
  };
  return {
    environment,
    folder: project.dir,
    begin: async (order) => {
      if (!local) return deploySource({ ...order, project, secretsFile, commands });
      const [{ deployLocally }, { findEngine }] = await Promise.all([
        import("./image-flow.ts"),
        import("./engine.ts"),
      ]);
      const build = { engine: await findEngine(), project, secretsFile, commands };
      return deployLocally({ ...order, build });
    },
  };
}

async function lookUp(
  deployments: DeploymentCalls,
  flags: TargetFlags,
  name: string,
  output: Output,
): Promise<ReadDeployment | undefined> {
  const id = flags["deployment-id"];
  if (id !== undefined) {
    output.step(`Using deployment ${id}`);
    return meant(deployments, id);
  }
  output.step(`Looking up deployment '${name}'`);
  if (flags.name !== undefined && flags.name !== name)
    output.info(`'${flags.name}' is written '${name}': lower-case letters, digits and hyphens`);
  const found = await deployments.named(name);
  output.info(found ? `Found existing deployment (ID: ${found.id})` : "No deployment found. Will create.");
  return found;
}

function submitted(deployments: DeploymentCalls, output: Output, { deploymentId, revisionId }: Begun): void {
  const result = {
    status: "submitted",
    message: "Build triggered",
    deployment_id: deploymentId,
    revision_id: revisionId,
    status_url: deployments.statusUrl(deploymentId, revisionId),
  } as const;
  output.result(result, `Deployment ID: ${deploymentId}, Revision ID: ${revisionId}`);
}
