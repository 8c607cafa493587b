import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { extract } from "tar";
import { BuildFailed, readProjectFiles } from "../../control/index.ts";
import { type ContainerEngine, CROSS_BUILD, imagePlatform, ownProgram } from "../../machine/index.ts";
import { packProject } from "./archive.ts";
import { CONTEXT, dockerfileOf, PIP_SECRET } from "./dockerfile.ts";
import { runEngine } from "./engine.ts";
import { DeployFailure, EXIT } from "./failure.ts";
import type { Output } from "./output.ts";
import type { LocalProject } from "./project.ts";

export type LocalBuild = {
  engine: ContainerEngine;
  project: LocalProject;
  /** Never packed. */
  secretsFile: string | null;
  commands: { install_command?: string; build_command?: string };
};

/** What an engine is given to build an image of. */
export type Context = {
  /** Absolute folder. */
  folder: string;
  /** Whether the Dockerfile is Berth's, with this program in the image. */
  isGenerated: boolean;
  /** The project's settings of pip, which are there while the image is built and not in it. */
  pipConfig: string | null;
};

const BUN = '#!/bin/sh\nBUN_BE_BUN=1 exec /usr/local/bin/berth "$@"\n';

/**
 * Lays out what an image is built from, in an empty folder: the files that an upload would hold, with the project's own
 * Dockerfile or one made from its configuration.
 * @throws DeployFailure
 */
export async function layOut(build: LocalBuild, folder: string, output: Output): Promise<Context> {
  const { project, secretsFile } = build;
  const app = join(folder, CONTEXT.source);
  mkdirSync(app);
  const archive = join(folder, "source.tar.gz");
  const { configPath, notes } = await packProject(project, secretsFile, archive);
  await extract({ file: archive, cwd: app });
  rmSync(archive);
  for (const note of notes) output.note(note);
  // Beside the configuration file it was written for that folder; at the root, for a whole workspace.
  const own = [join(app, dirname(configPath)), app].find((one) => existsSync(join(one, "Dockerfile")));
  if (own !== undefined) return { folder: own, isGenerated: false, pipConfig: null };
  return generated(build, folder, configPath);
}

async function generated(build: LocalBuild, folder: string, configPath: string): Promise<Context> {
  const { project, commands } = build;
  const root = join(folder, CONTEXT.source);
  const files = await lookOver(root, configPath);
  const configFile = join(root, configPath);
  const text = dockerfileOf({ config: project.config, configFile, files, root, commands });
  writeFileSync(join(folder, "Dockerfile"), text);
  executable(join(folder, CONTEXT.bun), BUN);
  for (const name of ["data", "home"]) mkdirSync(join(folder, CONTEXT.own, name), { recursive: true });
  const pipConfig = files.python?.pipConfig ?? null;
  if (pipConfig === null) return { folder, isGenerated: true, pipConfig };
  if (!existsSync(pipConfig))
    throw new DeployFailure(`${project.file}: there is no pip_config_file at that place`, EXIT.usage);
  // It may hold the password of an index.
  const beside = join(folder, PIP_SECRET);
  writeFileSync(beside, await Bun.file(pipConfig).text(), { mode: 0o600 });
  rmSync(pipConfig);
  writeFileSync(join(folder, ".dockerignore"), `/${PIP_SECRET}\n`);
  return { folder, isGenerated: true, pipConfig: beside };
}

async function lookOver(root: string, configPath: string) {
  try {
    return await readProjectFiles(root, configPath);
  } catch (error) {
    if (!(error instanceof BuildFailed)) throw error;
    throw new DeployFailure(error.message, EXIT.usage);
  }
}

function executable(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/**
 * Has the engine build an image for a platform.
 * @throws DeployFailure with the engine's words
 */
export async function buildImage(
  engine: ContainerEngine,
  context: Context,
  { platform, name }: { platform: string; name: string },
  output: Output,
): Promise<void> {
  output.step("Building image");
  if (context.isGenerated) await putBerth(context.folder, platform);
  output.info(
    context.isGenerated ? "By the project's configuration, with this berth" : "By the project's Dockerfile",
  );
  const isOther = platform !== imagePlatform();
  const product = await engine.product();
  if (isOther)
    output.note(
      `this machine is ${imagePlatform()} and the server runs ${platform}, which needs an engine that can cross-build: ${CROSS_BUILD[product]}`,
    );
  const isPodman = product === "podman";
  const command = [
    ...(isOther && !isPodman ? ["buildx", "build", "--load"] : ["build"]),
    ...(isOther ? ["--platform", platform] : []),
    ...(context.pipConfig === null ? [] : ["--secret", `id=${PIP_SECRET},src=${context.pipConfig}`]),
    ...["--tag", name, context.folder],
  ];
  output.waiting(`${engine.name} build`);
  await runEngine(engine, command, { what: "could not build the image", output });
  output.info(`Image ${name}`);
}

/** This very program. @throws DeployFailure it is none for that platform */
async function putBerth(folder: string, platform: string): Promise<void> {
  const { file, sources } = ownProgram();
  const fault = noBerthFor(platform, sources === null);
  if (fault !== undefined)
    throw new DeployFailure(
      `--local puts this berth into the image, and the server runs images for ${platform}: ${fault}. Write a Dockerfile of your own, whose program listens on $PORT and answers /ok, or deploy without --local`,
      EXIT.usage,
    );
  const target = join(folder, CONTEXT.berth);
  await Bun.write(target, Bun.file(file));
  chmodSync(target, 0o755);
  // The same file makes the same layer, which is there already the next time.
  utimesSync(target, 0, 0);
}

/** What is missing, if so. */
function noBerthFor(platform: string, isExecutable: boolean): string | undefined {
  if (!isExecutable) return "this berth runs from its sources and is no executable";
  if (process.platform !== "linux") return `this is a berth for ${process.platform}`;
  return platform === imagePlatform() ? undefined : `this is a berth for ${imagePlatform()}`;
}
