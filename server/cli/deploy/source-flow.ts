import { join } from "node:path";
import type { ReadDeployment } from "./answer.ts";
import { type Archive, megabytes, packProject, TemporaryFolder } from "./archive.ts";
import type { DeploymentCalls } from "./deployments.ts";
import { DeployFailure } from "./failure.ts";
import type { Output } from "./output.ts";
import type { LocalProject } from "./project.ts";
import type { NamedSecret } from "./secrets.ts";
import { uploadArchive } from "./upload.ts";

/** What is to be deployed, and as what. */
export type DeployOrder = {
  deployments: DeploymentCalls;
  output: Output;
  name: string;
  /** The deployment of that name or id, where there is one. */
  existing: ReadDeployment | undefined;
  deploymentType: string;
  /** Undefined leaves those that the deployment has. */
  secrets: NamedSecret[] | undefined;
  /** Undefined leaves what the deployment says. */
  requireApiKey: boolean | undefined;
};

type SourceOrder = DeployOrder & {
  project: LocalProject;
  /** Never packed. */
  secretsFile: string | null;
  commands: { install_command?: string; build_command?: string };
};

/** What a flow has brought about: the revision to wait for. */
export type Begun = { deploymentId: string; revisionId: string };

/** Packs the project, uploads it, and has the server build it. */
export async function deploySource(order: SourceOrder): Promise<Begun> {
  const { deployments, output, existing, project, secretsFile } = order;
  if (existing) requireSource(existing, "internal_source", "the source of a project");
  using folder = new TemporaryFolder("berth-deploy-");
  const file = join(folder.path, "source.tar.gz");
  // Packed first: a project that cannot be packed leaves no empty deployment behind.
  const archive = await packProject(project, secretsFile, file);
  const deploymentId = existing?.id ?? (await createForSource(order, archive));
  tellArchive(archive, output);
  const objectPath = await uploadArchive(deployments, deploymentId, file, output);
  output.step("Triggering remote build");
  const body = revisionOf(order, archive, objectPath);
  await deployments.patch(
    deploymentId,
    body,
    ({ source_revision_config }) => source_revision_config?.source_tarball_path === objectPath,
  );
  return { deploymentId, revisionId: (await deployments.latestRevision(deploymentId)).id };
}

function tellArchive({ bytes, files, notes, warning }: Archive, output: Output): void {
  output.step("Creating source archive");
  output.info(`Archive created (${megabytes(bytes)} MB, ${files === 1 ? "1 file" : `${files} files`})`);
  for (const note of notes) output.info(note);
  if (warning) output.warn(warning);
}

function revisionOf({ commands, secrets }: SourceOrder, { configPath }: Archive, objectPath: string) {
  return {
    revision_source: "internal_source",
    source_revision_config: { source_tarball_path: objectPath, langgraph_config_path: configPath },
    ...(Object.keys(commands).length === 0 ? {} : { source_config: commands }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

function createForSource({ commands, ...order }: SourceOrder, { configPath }: Archive): Promise<string> {
  return createDeployment(order, {
    source: "internal_source",
    source_config: commands,
    source_revision_config: { langgraph_config_path: configPath },
  });
}

type DeploymentForm = { source: string; source_config: object; source_revision_config: object };

/** Creates the deployment and tells its id. */
export async function createDeployment(
  { deployments, output, name, deploymentType, secrets, requireApiKey }: DeployOrder,
  { source, source_config, source_revision_config }: DeploymentForm,
): Promise<string> {
  output.step(`Creating deployment '${name}'`);
  const { id } = await deployments.create({
    name,
    source,
    source_config: {
      deployment_type: deploymentType,
      ...(requireApiKey !== undefined && { require_api_key: requireApiKey }),
      ...source_config,
    },
    source_revision_config,
    secrets: secrets ?? [],
  });
  output.info(`Deployment ID: ${id}`);
  return id;
}

/** A deployment keeps the kind of source that it was created with. */
export function requireSource({ name, source }: ReadDeployment, wanted: string, what: string): void {
  if (source === wanted) return;
  throw new DeployFailure(
    `deployment '${name}' has the source ${source}, so it cannot run ${what}: choose another name with --name, or delete the deployment first`,
  );
}

/** Deploys a template that is built into Berth: nothing is uploaded, nothing is built. */
export async function deployTemplate(order: DeployOrder & { template: string }): Promise<Begun> {
  const { deployments, output, existing, secrets, template } = order;
  if (existing) {
    requireSource(existing, "internal_template", "a template");
    output.step(`Updating deployment ${existing.id}`);
    const body = { source_config: { template }, ...(secrets === undefined ? {} : { secrets }) };
    const { id } = await deployments.revise(existing.id, body);
    return { deploymentId: existing.id, revisionId: id };
  }
  const deploymentId = await createDeployment(order, {
    source: "internal_template",
    source_config: { template },
    source_revision_config: {},
  });
  return { deploymentId, revisionId: (await deployments.latestRevision(deploymentId)).id };
}
