import { createWriteStream, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { arch } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { extract } from "tar";
import { MOST_BYTES, megabytes, packProject, TemporaryFolder } from "./archive.ts";
import { DeployFailure, DeployRefused, EXIT } from "./failure.ts";
import type { Output } from "./output.ts";
import type { LocalProject } from "./project.ts";
import { type Begun, createDeployment, type DeployOrder, requireSource } from "./source-flow.ts";
import { uploadArchive } from "./upload.ts";

export type LocalBuild = {
  engine: string;
  project: LocalProject;
  secretsFile: string | null;
  name: string;
};

const ENGINES = ["docker", "podman"];
const TAIL_LINES = 30;
const PLATFORM = "linux/amd64";
/** Small, with the C library that the binary is linked with. */
const BASE_IMAGE = "debian:13-slim";

/** The container engine of this machine that answers. */
export async function findEngine(): Promise<string> {
  for (const engine of ENGINES) {
    const path = Bun.which(engine);
    if (path && (await run([path, "info"])).code === 0) return path;
  }
  throw new DeployFailure(
    `--local needs a running container engine (${ENGINES.join(" or ")}), and none answers: start one, or deploy without --local, which builds on the server`,
    EXIT.usage,
  );
}

/** Builds the project into an image, by its Dockerfile if it has one; gives the image's name. */
export async function buildImage(build: LocalBuild, output: Output): Promise<string> {
  const { engine, project, secretsFile, name } = build;
  using folder = new TemporaryFolder("berth-context-");
  const context = folder.path;
  const image = `berth-deploy/${name}:${Date.now()}`;
  output.step("Building image");
  const app = join(context, "app");
  mkdirSync(app);
  const archive = join(context, "source.tar.gz");
  const { configPath } = await packProject(project, secretsFile, archive);
  await extract({ file: archive, cwd: app });
  rmSync(archive);
  // Beside the configuration file it was written for that folder; at the root, for a whole workspace.
  const ownFolder = [join(app, dirname(configPath)), app].find((folder) =>
    existsSync(join(folder, "Dockerfile")),
  );
  if (ownFolder === undefined) await writeDockerfile(context, configPath, output);
  const cross = arch() === "x64" ? [] : ["--platform", PLATFORM];
  if (cross.length > 0)
    output.note(
      `this machine is ${arch()} and the image is built for ${PLATFORM}, which needs an engine that can cross-build (docker buildx with QEMU, or podman with qemu-user-static)`,
    );
  const building =
    basename(engine) === "docker" && cross.length > 0 ? ["buildx", "build", "--load"] : ["build"];
  output.waiting(`${basename(engine)} build`);
  const { code, text } = await run([engine, ...building, ...cross, "-t", image, ownFolder ?? context]);
  if (code !== 0) fail(`${basename(engine)} could not build the image`, code, text, output);
  output.info(`Image ${image}`);
  return image;
}

/** This very program with the project beside it: what a server does with an upload, in an image. */
async function writeDockerfile(context: string, configPath: string, output: Output): Promise<void> {
  const isExecutable = !basename(process.execPath).startsWith("bun");
  if (!isExecutable || process.platform !== "linux" || arch() !== "x64")
    throw new DeployFailure(
      `--local makes an image by a Dockerfile in the project, or of the berth binary for ${PLATFORM}; here is neither. Write a Dockerfile whose program listens on $PORT and answers /ok, or deploy without --local`,
      EXIT.usage,
    );
  output.info("No Dockerfile: the image holds this berth and the project");
  await Bun.write(join(context, "berth"), Bun.file(process.execPath));
  const folder = configPath.includes("/") ? `/app/${configPath.replace(/\/[^/]*$/, "")}` : "/app";
  const lines = [
    `FROM ${BASE_IMAGE}`,
    "COPY berth /usr/local/bin/berth",
    "RUN chmod 755 /usr/local/bin/berth",
    "COPY app /app",
    `WORKDIR ${folder}`,
    "RUN if [ -f package.json ]; then BUN_BE_BUN=1 berth install --ignore-scripts; fi",
    // As environment, so that whoever starts it may say otherwise.
    "ENV HOST=0.0.0.0",
    `CMD ["berth", "serve"]`,
  ];
  await Bun.write(join(context, "Dockerfile"), `${lines.join("\n")}\n`);
}

/** Writes an image into a file that the server's engine can load. */
export async function saveImage(engine: string, image: string, file: string, output: Output): Promise<void> {
  output.step("Saving image");
  output.waiting("saving");
  const child = Bun.spawn([engine, "save", image], { stdio: ["ignore", "pipe", "pipe"] });
  const [text] = await Promise.all([
    new Response(child.stderr).text(),
    pipeline(child.stdout, createGzip(), createWriteStream(file)),
  ]);
  const code = await child.exited;
  if (code !== 0) fail("the image could not be saved", code, text, output);
  const { size } = statSync(file);
  if (size > MOST_BYTES)
    throw new DeployFailure(
      `the image has ${megabytes(size)} MB, at most 200 MB can be uploaded: make it smaller, or push it to a registry and name it with --image`,
    );
  output.info(`Image saved (${megabytes(size)} MB)`);
}

function fail(what: string, code: number, text: string, output: Output): never {
  for (const line of text.trim().split("\n").slice(-TAIL_LINES)) output.log(line);
  throw new DeployFailure(`${what} (exit code ${code}): see the lines above`);
}

/** Runs a program to its end; what it says on both outputs comes as one text. */
async function run(command: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn(command, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, text: out + err };
}

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
