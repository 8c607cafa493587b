import { IMAGE_ROOT, type PushedImage } from "@berth/store";
import { type ContainerEngine, EngineFailed, EngineLogin } from "../../../machine/index.ts";
import { type BuildOrder, type PreparedImage, PrepareFailed } from "../../build/index.ts";
import type { ImageRegistry } from "../../registry/index.ts";
import { keptName } from "./reference.ts";

export type PushedImagesDeps = {
  registry: Pick<ImageRegistry, "images" | "tokens">;
  /** Where this machine reaches us. */
  ownUrl: () => string;
};

/** Runs an engine's command for an order, to its end. */
type RunEngine = (args: string[], env: Record<string, string>) => Promise<string[]>;

/**
 * Has the engine pull an image of Berth's own registry, by its digest and with a token of its own, and keep it under the
 * name of the revision alone.
 * @throws PrepareFailed | EngineFailed
 */
export async function pullPushed(
  { registry, ownUrl }: PushedImagesDeps,
  {
    engine,
    order,
    pushed,
    run,
  }: { engine: ContainerEngine; order: BuildOrder; pushed: PushedImage; run: RunEngine },
): Promise<PreparedImage> {
  const { deployment, revision } = order;
  const known = pushed.deploymentId === deployment.id ? await registry.images.look(pushed) : undefined;
  if (known === undefined)
    throw new PrepareFailed(
      `The image ${pushed.image} (${pushed.reference}) is not in the registry: push it again`,
    );
  const { host, protocol } = new URL(ownUrl());
  const name = `${host}/${IMAGE_ROOT}/${deployment.id}/${pushed.image}@${known.digest}`;
  const token = registry.tokens.issue({
    deploymentId: deployment.id,
    workspaceId: deployment.workspace_id,
    may: "pull",
  });
  order.say(`Getting ${pushed.image}@${known.digest} from the registry (${known.bytes} bytes)`);
  {
    using login = new EngineLogin(order.folder, host, token);
    const plain = protocol === "http:" && (await engine.isPodman()) ? ["--tls-verify=false"] : [];
    await run(["pull", "--quiet", ...plain, name], login.env);
  }
  const id = (await engine.run(["image", "inspect", "--format", "{{.Id}}", name])).replace(/^sha256:/, "");
  const image = keptName(deployment.id, revision.id);
  await engine.run(["tag", id, image]);
  // Under this name others could ask for it, and it would outlive the revision.
  await forgetName(engine, name);
  order.say(`It is sha256:${id}`);
  return { image, digest: known.digest };
}

/** Podman takes a name off an image, Docker removes the name where there are others. */
async function forgetName(engine: ContainerEngine, name: string): Promise<void> {
  const command = (await engine.isPodman()) ? ["untag", name, name] : ["image", "rm", name];
  await engine.run(command).catch((error: unknown) => {
    if (!(error instanceof EngineFailed)) throw error;
  });
}
