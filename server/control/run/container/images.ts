import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Fault, isOfRegistry, isUploadPath, readPushedImage, type Uploads } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import {
  BUILD_MARK,
  type ContainerEngine,
  DATA_MARK,
  dataMark,
  EngineFailed,
  isUnknown,
  said,
  type Users,
} from "../../../machine/index.ts";
import {
  hostOf,
  lookUp,
  portOf,
  type Reach,
  Refused,
  type Resolve,
  UnknownHost,
} from "../../../reach/index.ts";
import type { ControlPlaneSettings } from "../../../settings/index.ts";
import {
  type BuildOrder,
  type ImagePreparer,
  type PreparedImage,
  PrepareFailed,
  runStep,
} from "../../build/index.ts";
import type { Archives } from "../../files/index.ts";
import { type Engines, NoEngine } from "./engines.ts";
import { withoutNames } from "./image-archive.ts";
import { type PushedImagesDeps, pullPushed } from "./pushed-images.ts";
import {
  digestOf,
  isNamed,
  type KnownImage,
  keptName,
  mayHaveMoved,
  type Reference,
  readReference,
} from "./reference.ts";

export type ContainerImagesDeps = PushedImagesDeps & {
  dataDir: string;
  users: Users;
  uploads: Pick<Uploads, "at">;
  archives: Pick<Archives, "fileOf">;
  engines: Engines;
  /** Where images may come from. */
  sources: Reach;
  /** How the names of hosts are looked up; as the system does, when not given. */
  resolve?: Resolve | undefined;
  /** When a registry is asked for an image that the engine has by its name. */
  pull: ControlPlaneSettings["imagePull"];
  logger: Logger;
};

const LOAD_SECONDS = 600;
const PULL_SECONDS = 900;
const LOADED = /Loaded image[^:]*:\s*(?:sha256:)?([a-f\d]{64})/;

/** Gets the images of revisions into the engine: out of archives that were uploaded, or by their names. */
export class ContainerImages implements ImagePreparer {
  readonly #deps: ContainerImagesDeps;

  constructor(deps: ContainerImagesDeps) {
    this.#deps = deps;
  }

  /** @throws PrepareFailed */
  async prepare(order: BuildOrder): Promise<PreparedImage> {
    const wanted = order.revision.config.image_uri;
    if (wanted === null) throw new PrepareFailed("image_uri is missing: name the image to run");
    try {
      const engine = await this.#deps.engines.current();
      const pushed = readPushedImage(wanted);
      if (pushed) {
        const run = (args: string[], env: Record<string, string>) =>
          this.#run(engine, order, args, PULL_SECONDS, env);
        return await pullPushed(this.#deps, { engine, order, pushed, run });
      }
      if (!isUploadPath(wanted)) return await this.#named(engine, order, wanted);
      return { image: await this.#load(engine, order, wanted), digest: null };
    } catch (error) {
      const isTold = error instanceof NoEngine || error instanceof EngineFailed;
      throw isTold ? new PrepareFailed(error.message, { cause: error }) : error;
    }
  }

  /** Whether the engine has an image. @throws EngineFailed | NoEngine */
  async has(image: string): Promise<boolean> {
    return (await imageOf(await this.#deps.engines.current(), image)) !== undefined;
  }

  /** Forgets an image that came as an archive; it goes when no other revision has it. Fine where there is none. */
  async remove(image: string): Promise<void> {
    for (const engine of this.#deps.engines.installed())
      try {
        await engine.run(["image", "rm", image]);
      } catch (error) {
        // An engine that does not answer keeps nobody from going on: it is asked again with the deployment's end.
        if (!isUnknown(error)) this.#deps.logger.warn("image.not_removed", { image, error });
      }
  }

  async #load(engine: ContainerEngine, order: BuildOrder, path: string): Promise<string> {
    const file = await this.#upload(order, path);
    await rm(order.folder, { recursive: true, force: true });
    mkdirSync(order.folder, { recursive: true, mode: 0o700 });
    try {
      const archive = join(order.folder, "image.tar");
      order.say("Loading the image");
      await withoutNames(file, archive, order.signal);
      const lines = await this.#run(engine, order, ["load", "--input", archive], LOAD_SECONDS);
      const ids = new Set(lines.flatMap((line) => LOADED.exec(line)?.[1] ?? []));
      const [id, ...others] = ids;
      if (id === undefined) throw new PrepareFailed(`The archive cannot be loaded: ${said(lines)}`);
      const image = keptName(order.revision.deployment_id, order.revision.id);
      if (others.length === 0) await engine.run(["tag", id, image]);
      else await Promise.all([...ids].map((each) => this.remove(each)));
      if (others.length > 0) throw new PrepareFailed(`The archive has ${ids.size} images: save only one`);
      order.say(`Loaded sha256:${id}`);
      return image;
    } finally {
      await rm(order.folder, { recursive: true, force: true });
    }
  }

  async #upload({ revision, signal }: BuildOrder, path: string): Promise<string> {
    const upload = await this.#deps.uploads.at(revision.deployment_id, path).catch((error) => {
      throw error instanceof Fault ? new PrepareFailed(error.message, { cause: error }) : error;
    });
    const file = await this.#deps.archives.fileOf(upload, signal);
    if (file === undefined) throw new PrepareFailed("The uploaded archive is gone: upload it again");
    return file;
  }

  /** What the name stands for now, by its id: a tag that moved brings another image with each new revision. */
  async #named(engine: ContainerEngine, order: BuildOrder, wanted: string): Promise<PreparedImage> {
    const reference = isOfRegistry(wanted) ? undefined : readReference(wanted);
    if (reference === undefined)
      throw new PrepareFailed(`image_uri ${JSON.stringify(wanted)} is not the name of an image`);
    const here = await found(engine, reference);
    if (!this.#isAskedFor(reference, here)) return named(order, reference, here);
    await this.#checkRegistry(reference);
    order.say(`Getting ${reference.text}`);
    try {
      await this.#run(engine, order, ["pull", "--quiet", reference.text], PULL_SECONDS);
    } catch (error) {
      if (here === undefined || !(error instanceof EngineFailed)) throw error;
      order.say(
        `The registry did not give the image (${error.message}): Berth takes the one that the engine has`,
        "WARNING",
      );
    }
    return named(order, reference, await found(engine, reference));
  }

  /** @throws PrepareFailed it is not here, and nobody may be asked */
  #isAskedFor(reference: Reference, here: KnownImage | undefined): boolean {
    const { pull } = this.#deps;
    if (here !== undefined) return pull === "always" && mayHaveMoved(reference);
    if (pull !== "never") return true;
    throw new PrepareFailed(
      `the engine does not have ${reference.text}, and with IMAGE_PULL=never Berth does not pull it: pull it by hand`,
    );
  }

  /** The engine looks its name up by itself, and where it leads on to: here, only what is plain is refused. */
  async #checkRegistry({ text, registry }: Reference): Promise<void> {
    if (registry === null) return;
    const url = new URL(`https://${registry}`);
    await lookUp(hostOf(url), portOf(url), this.#deps.sources, this.#deps.resolve).catch((error: unknown) => {
      // An engine may have another place for a name.
      if (error instanceof UnknownHost) return;
      if (!(error instanceof Refused)) throw error;
      throw new PrepareFailed(`Berth does not pull ${text}: ${error.message}`, { cause: error });
    });
  }

  /** Runs what may take its time: it ends with the order, and with Berth's next start when this one is killed. */
  async #run(
    engine: ContainerEngine,
    order: BuildOrder,
    args: string[],
    limitSeconds: number,
    own: Readonly<Record<string, string>> = {},
  ): Promise<string[]> {
    const marks = { [BUILD_MARK]: order.revision.id, [DATA_MARK]: dataMark(this.#deps.dataDir) };
    const lines: string[] = [];
    const { code, outOfTime } = await runStep(this.#deps.users, order, {
      command: [engine.name, ...args],
      env: { ...engine.environment, ...own, ...marks },
      cwd: "/",
      uid: null,
      limitSeconds,
      onLine: (line) => void lines.push(line),
    });
    const what = `${engine.name} ${args[0]}`;
    if (outOfTime) throw new EngineFailed(`${what} was ended after ${limitSeconds} seconds`);
    if (code !== 0) throw new EngineFailed(`${what} failed: ${said(lines) || `exit code ${code}`}`);
    return lines;
  }
}

/** @throws PrepareFailed it is a deployment's own */
async function found(engine: ContainerEngine, reference: Reference): Promise<KnownImage | undefined> {
  const image = await imageOf(engine, reference.text);
  if (image && !isNamed(image, reference))
    throw new PrepareFailed(`${reference.text} is not the name of an image: it leads to a deployment's own`);
  return image;
}

/** Tells which image a name stands for. */
function named(order: BuildOrder, reference: Reference, image: KnownImage | undefined): PreparedImage {
  if (image === undefined)
    throw new PrepareFailed(`the engine does not have ${reference.text}, although it has just pulled it`);
  const digest = digestOf(image, reference);
  order.say(`${reference.text} is ${image.id}${digest === null ? "" : `, in the registry ${digest}`}`);
  return { image: image.id, digest };
}

/** What engines tell of an image, as far as it is looked at; `Digest` is Podman's alone. */
type InspectedImage = {
  Id?: string;
  RepoTags?: string[] | null;
  RepoDigests?: string[] | null;
  Digest?: string;
};

async function imageOf(engine: ContainerEngine, text: string): Promise<KnownImage | undefined> {
  try {
    const [told = {}]: InspectedImage[] = JSON.parse(await engine.run(["image", "inspect", text]));
    const { Id: id = "", RepoTags, RepoDigests, Digest } = told;
    return {
      id: id.startsWith("sha256:") ? id : `sha256:${id}`,
      names: [...(RepoTags ?? []), ...(RepoDigests ?? [])],
      digest: Digest || null,
    };
  } catch (error) {
    if (isUnknown(error)) return undefined;
    throw error;
  }
}
