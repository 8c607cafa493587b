import { isUploadPath, type Revision, Serial } from "@berth/store";
import { BuildFailed, type BuildOrder, PrepareFailed } from "../build/index.ts";
import { StartFailed } from "../run/index.ts";
import { driverKind, type Machines, type Parts } from "./parts.ts";
import { RevisionLog } from "./revision-log.ts";

/** Has on this machine what a revision was built into, or its image, where another one has built it. */
export class Rebuilds {
  /** By revision: its instances may start side by side. */
  readonly #building = new Serial();

  constructor(private readonly parts: Parts) {}

  /**
   * Builds a revision again if that was not done on this machine: from the same archive, the same commit, the same image.
   * @throws StartFailed
   */
  async have(revision: Revision, signal: AbortSignal): Promise<void> {
    const { machines } = this.parts;
    if (!machines) return;
    await this.#building.run(revision.id, async () => {
      if (!(await isHere(machines, revision))) await this.#build(revision, signal);
    });
  }

  async #build(revision: Revision, signal: AbortSignal): Promise<void> {
    const { parts } = this;
    const log = new RevisionLog({ log: parts.log, now: parts.timing.now }, revision, "build");
    const order = await this.#order(revision, log, signal);
    log.say("Another machine has built this revision: it is built again here");
    try {
      if (driverKind(revision) === "process") await parts.builders.build(order);
      else await this.#prepareImage(order);
    } catch (error) {
      if (!(error instanceof BuildFailed || error instanceof PrepareFailed)) throw error;
      log.say(error.message, "ERROR");
      throw new StartFailed(`It cannot be built again on this machine: ${error.message}`, { cause: error });
    } finally {
      await parts.endBuild(revision.id);
      await log.end();
    }
  }

  async #prepareImage(order: BuildOrder): Promise<void> {
    const { image } = await this.parts.builders.prepare(order);
    const wanted = order.revision.image;
    if (image !== wanted)
      throw new PrepareFailed(`${order.revision.config.image_uri} is another image by now, ${image}`);
  }

  async #order(revision: Revision, log: RevisionLog, signal: AbortSignal): Promise<BuildOrder> {
    const { parts } = this;
    const deployment = await parts.deployments.find(revision.deployment_id);
    if (!deployment) throw new StartFailed("The deployment is gone");
    return {
      deployment,
      revision: pinned(revision),
      secrets: await parts.revisions.secretsOf(revision.id),
      folder: parts.folderOf(revision.id),
      say: (line, level) => log.say(line, level),
      signal,
      // What a killed Berth leaves of it, the next one finds by its marks.
      onChild: async () => undefined,
    };
  }
}

async function isHere(machines: Machines, revision: Revision): Promise<boolean> {
  const { id, build, image } = revision;
  if (driverKind(revision) === "process") return build === null || machines.hasBuilt(id);
  return image === null || machines.hasImage(image);
}

/** A tag may lead to another image by now; the digest does not. */
function pinned(revision: Revision): Revision {
  const { image_uri: uri, image_digest: digest } = revision.config;
  if (uri === null || digest === null || isUploadPath(uri) || uri.includes("@")) return revision;
  const image_uri = `${uri.replace(/:[^/:]*$/, "")}@${digest}`;
  return { ...revision, config: { ...revision.config, image_uri } };
}
