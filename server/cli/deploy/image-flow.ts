import { join } from "node:path";
import { DeployRefused } from "./failure.ts";
import { buildImage, type LocalBuild, saveImage } from "./local-image.ts";
import { type Begun, createDeployment, type DeployOrder, requireSource } from "./source-flow.ts";
import { TemporaryFolder } from "./temporary-folder.ts";
import { uploadArchive } from "./upload.ts";

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

/** Builds an image of the project here, and brings it to the server as an archive. */
export async function deployLocally(order: DeployOrder & { build: LocalBuild }): Promise<Begun> {
  const { deployments, output, existing, build } = order;
  if (existing) requireSource(existing, "internal_docker", "an image");
  const image = await buildImage(build, output);
  using folder = new TemporaryFolder("berth-image-");
  const file = join(folder.path, "image.tar.gz");
  await saveImage(build.engine, image, file, output);
  const created = { source: "internal_docker", source_config: {}, source_revision_config: {} };
  const deploymentId = existing?.id ?? (await createDeployment(order, created));
  const objectPath = await uploadArchive(deployments, deploymentId, file, output);
  return await update(order, deploymentId, "internal_docker", objectPath);
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
