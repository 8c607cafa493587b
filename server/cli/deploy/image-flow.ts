import { TemporaryFolder } from "./archive.ts";
import type { DeploymentCalls } from "./deployments.ts";
import { DeployFailure, DeployRefused } from "./failure.ts";
import { buildImage, type Context, type LocalBuild, layOut } from "./image-build.ts";
import { pushImage } from "./image-push.ts";
import type { Output } from "./output.ts";
import { normalName } from "./project.ts";
import { type Begun, createDeployment, type DeployOrder, requireSource } from "./source-flow.ts";

/** Of a server that does not say for what it runs images. */
const PLATFORM = "linux/amd64";
/** Of the last part of an image's name. */
const LONGEST_NAME = 128;
const IMAGE_SOURCES = ["internal_docker", "external_docker"];

/** Deploys an image that the server's container engine has or can pull. */
export async function deployImage(order: DeployOrder & { image: string }): Promise<Begun> {
  const { existing, image } = order;
  if (existing && !IMAGE_SOURCES.includes(existing.source))
    requireSource(existing, "internal_docker", "an image");
  if (existing) return update(order, existing.id, existing.source, image);
  const deploymentId = await createAs(order, image);
  return { deploymentId, revisionId: (await order.deployments.latestRevision(deploymentId)).id };
}

/** A Berth of the self-hosted edition calls the same thing by its other name. */
async function createAs(order: DeployOrder, image: string): Promise<string> {
  const [internal = "", external = ""] = IMAGE_SOURCES;
  const body = (source: string) => ({
    source,
    source_config: {},
    source_revision_config: { image_uri: image },
  });
  try {
    return await createDeployment(order, body(internal));
  } catch (error) {
    if (!(error instanceof DeployRefused) || error.status !== 400 || !error.detail.includes(external))
      throw error;
    return await createDeployment(order, body(external));
  }
}

/** Builds an image of the project here, for the server's platform, and pushes it to the server's registry. */
export async function deployLocally(order: DeployOrder & { build: LocalBuild }): Promise<Begun> {
  const { deployments, output, existing, build } = order;
  if (existing) requireSource(existing, "internal_docker", "an image");
  using folder = new TemporaryFolder("berth-context-");
  // Laid out first: a project of which no image can be made leaves no empty deployment behind.
  const context = await layOut(build, folder.path, output);
  const created = { source: "internal_docker", source_config: {}, source_revision_config: {} };
  const deploymentId = existing?.id ?? (await createDeployment(order, created));
  let pushed: string;
  try {
    pushed = await buildAndPush(order, deploymentId, context);
  } catch (error) {
    if (existing === undefined) await takeBack(deployments, deploymentId, output);
    throw error;
  }
  return update(order, deploymentId, "internal_docker", pushed);
}

/** Gives the image's name in the server's registry, by its digest. */
async function buildAndPush(
  { deployments, output, name, build: { engine } }: DeployOrder & { build: LocalBuild },
  deploymentId: string,
  context: Context,
): Promise<string> {
  const { platform = PLATFORM } = await deployments.pushToken(deploymentId);
  const own = normalName(name).slice(0, LONGEST_NAME);
  const image = `berth-deploy/${own}:latest`;
  await buildImage(engine, context, { platform, name: image }, output);
  // A build may take longer than a token is good for.
  const { token, registry_url } = await deployments.pushToken(deploymentId);
  const target = `${registry_url}/${own}`;
  return pushImage({ engine, image, target, token, isPlain: deployments.isPlain }, output);
}

/** Removes a deployment that was made for an image that did not come, unless somebody else has used it meanwhile. */
async function takeBack(deployments: DeploymentCalls, id: string, output: Output): Promise<void> {
  try {
    if ((await deployments.revisions(id, 2)).length > 1) return;
    await deployments.delete(id);
    output.info(`Deployment ${id} is deleted again: it has no image`);
  } catch (error) {
    // Why there is no image is what counts.
    if (!(error instanceof DeployFailure)) throw error;
  }
}

async function update(
  { deployments, output, secrets }: DeployOrder,
  deploymentId: string,
  source: string,
  image: string,
): Promise<Begun> {
  output.step(`Updating deployment ${deploymentId}`);
  const body = {
    // Only a deployment of these may be told which one is meant.
    ...(source === "external_docker" ? {} : { revision_source: source }),
    source_revision_config: { image_uri: image },
    ...(secrets === undefined ? {} : { secrets }),
  };
  await deployments.patch(
    deploymentId,
    body,
    ({ source_revision_config }) => source_revision_config?.image_uri === image,
  );
  return { deploymentId, revisionId: (await deployments.latestRevision(deploymentId)).id };
}
