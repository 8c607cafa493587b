import { join } from "node:path";
import { type ContainerEngine, EngineLogin } from "../../machine/index.ts";
import { isLoopbackHost } from "../../reach/index.ts";
import { TemporaryFolder } from "./archive.ts";
import { runEngine } from "./engine.ts";
import { DeployFailure } from "./failure.ts";
import type { Output } from "./output.ts";

export type Push = {
  engine: ContainerEngine;
  /** What the engine calls the image. */
  image: string;
  /** What it is called in the registry, without a tag. */
  target: string;
  token: string;
  /** Whether Berth is reached without TLS. */
  isPlain: boolean;
};

const DIGEST = /sha256:[0-9a-f]{64}/;

/**
 * Brings an image to a registry, with a token that nothing of this machine keeps.
 * @returns its name there, with the digest
 * @throws DeployFailure
 */
export async function pushImage(push: Push, output: Output): Promise<string> {
  const { engine, image, target, token, isPlain } = push;
  output.step("Pushing image");
  using folder = new TemporaryFolder("berth-push-");
  const host = target.split("/")[0] ?? "";
  const isPodman = await engine.isPodman();
  using login = new EngineLogin(join(folder.path, "login"), host, token);
  const env = { ...login.env, ...(isPodman ? {} : await whereDockerIs(engine)) };
  const remote = `${target}:latest`;
  await engine.run(["tag", image, remote]);
  try {
    output.waiting(`${engine.name} push`);
    const digestFile = join(folder.path, "digest");
    // Docker takes a registry at a loopback address as it is.
    const plain = isPlain && isLoopbackHost(host) ? ["--tls-verify=false"] : [];
    const options = isPodman ? ["--quiet", ...plain, "--digestfile", digestFile] : [];
    const what = "could not push the image";
    const printed = await runEngine(engine, ["push", ...options, remote], { what, output, env });
    const told = isPodman ? await Bun.file(digestFile).text() : printed;
    const digest = DIGEST.exec(told)?.[0];
    if (digest === undefined)
      throw new DeployFailure(`${engine.name} pushed the image but did not print its digest`);
    output.info(`Pushed ${target}@${digest}`);
    return `${target}@${digest}`;
  } finally {
    // Under its own name the image stays, for its layers.
    await engine.run(isPodman ? ["untag", image, remote] : ["image", "rm", remote]).catch(() => "");
  }
}

/** With a configuration of its own, Docker's command no longer knows which engine its user has chosen. */
async function whereDockerIs(engine: ContainerEngine): Promise<Record<string, string>> {
  if ("DOCKER_HOST" in engine.environment) return {};
  const host = await engine
    .run(["context", "inspect", "--format", "{{.Endpoints.docker.Host}}"])
    .catch(() => "");
  return host === "" ? {} : { DOCKER_HOST: host };
}
