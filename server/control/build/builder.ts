import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTemplate } from "@berth/agent";
import {
  type DeploymentSource,
  type Integrations,
  isUploadPath,
  type Revision,
  type Uploads,
} from "@berth/store";
import { BUILD_MARK, DATA_MARK, dataMark, processesWith, Trash } from "../../machine/index.ts";
import type { Reach, Resolve } from "../../reach/index.ts";
import { configPathFault } from "../../sources/index.ts";
import type { Archives } from "../files/index.ts";
import { GitSource } from "./git.ts";
import { checkGraphs } from "./graph-check.ts";
import { buildMembers, type CredentialSettings, installPackages, runBuildCommand } from "./install.ts";
import {
  BuildAborted,
  BuildFailed,
  type BuildOrder,
  type Built,
  type Prepared,
  PrepareFailed,
} from "./order.ts";
import { readProjectApart } from "./project-reader.ts";
import { installPython } from "./python.ts";
import { configPathOf, Tarballs } from "./tarball.ts";
import { SOURCE, Workbench, type WorkbenchDeps } from "./workbench.ts";

export {
  BuildAborted,
  BuildFailed,
  type BuildOrder,
  type Built,
  type Prepared,
  PrepareFailed,
} from "./order.ts";

/** An image that is on this machine: what to start, and how a registry knows it. */
export type PreparedImage = { image: string; digest: string | null };

/** Whoever gets the image of a revision to this machine. */
export type ImagePreparer = {
  /** @throws PrepareFailed */
  prepare(order: BuildOrder): Promise<PreparedImage>;
  remove(image: string): Promise<void>;
};

type BuildersDeps = WorkbenchDeps & {
  uploads: Pick<Uploads, "at">;
  archives: Pick<Archives, "fileOf">;
  integrations: Pick<Integrations, "tokenOf">;
  images: Pick<ImagePreparer, "prepare">;
  settings: CredentialSettings;
  /** Where sources may come from. */
  sources: Reach;
  /** How the names of hosts are looked up; as the system does, when not given. */
  resolve?: Resolve;
};

/** A file of a build's folder that is there once the build is whole. */
export const COMPLETE = "complete";

const BUILDABLE: readonly DeploymentSource[] = ["github", "internal_source"];

/**
 * Makes of a revision's source what a driver can start. Everything that reads or runs code of a project does so as
 * the deployment's user, and is ended with the build.
 */
export class Builders {
  readonly #tarballs: Tarballs;
  readonly #git: GitSource;
  readonly #trash: Trash;

  constructor(private readonly deps: BuildersDeps) {
    this.#trash = new Trash(deps.dataDir);
    this.#tarballs = new Tarballs(deps);
    this.#git = new GitSource(deps);
  }

  /** Whether a source is built; the others are prepared and then run as they are. */
  isBuildable(source: DeploymentSource): boolean {
    return BUILDABLE.includes(source);
  }

  /**
   * The cheap part, which tells at once what cannot work: reads an archive, asks a repository, gets an image.
   * @throws PrepareFailed | BuildAborted
   */
  async prepare(order: BuildOrder): Promise<Prepared> {
    return settled(order.signal, async () => {
      const { source } = order.revision;
      if (source === "internal_template") return checkTemplate(order.revision);
      if (order.revision.in_cluster) return checkClusterImage(order.revision);
      if (!this.isBuildable(source)) {
        const { image, digest } = await this.deps.images.prepare(order);
        return { config: { image_digest: digest }, image };
      }
      const fault = configPathFault(configPathOf(order.revision));
      if (fault) throw new PrepareFailed(fault);
      if (source === "github") return { config: { repo_commit_sha: await this.#commit(order) }, image: null };
      await this.#tarballs.prepare(order);
      return { config: {}, image: null };
    });
  }

  /**
   * Builds a revision in its folder, anew whatever is in it.
   * @throws BuildFailed | BuildAborted
   */
  async build(order: BuildOrder): Promise<Built> {
    if (!this.isBuildable(order.revision.source))
      return { build: null, image: order.revision.image, commitSha: null };
    return settled(order.signal, async () => {
      const bench = await Workbench.open(this.deps, order);
      try {
        const built = await this.#buildOn(bench);
        // Whoever finds the folder later knows that nothing of it is missing.
        writeFileSync(join(order.folder, COMPLETE), "");
        return built;
      } finally {
        endStrays(dataMark(this.deps.dataDir), order.revision.id);
        await bench.clear();
      }
    }).catch((error) => {
      // An input that was there a moment ago.
      throw error instanceof PrepareFailed ? new BuildFailed(error.message) : error;
    });
  }

  /** Removes what was built for a revision; its image, if it has one, is its driver's. */
  async remove(revisionId: string): Promise<void> {
    await this.#trash.remove(join(this.deps.dataDir, "builds", revisionId));
  }

  async #buildOn(bench: Workbench): Promise<Built> {
    const { order } = bench;
    const isGit = order.revision.source === "github";
    const commitSha = isGit ? await this.#git.fetch(bench) : null;
    if (!isGit) await this.#tarballs.fetch(bench);
    const configPath = configPathOf(order.revision);
    await bench.giveSource();
    const project = await readProjectApart(bench, configPath, this.deps.executable);
    if (project.python) await installPython(bench, project.python, this.deps.environment);
    if (project.install || !project.python) await installPackages(bench, project, this.deps);
    const unbuilt = await buildMembers(bench, project, this.deps);
    await runBuildCommand(bench, project, this.deps);
    try {
      await checkGraphs(bench, configPath, this.deps.executable);
    } catch (error) {
      if (!(error instanceof BuildFailed) || unbuilt.length === 0) throw error;
      throw new BuildFailed(`${error.message}. Before that: ${unbuilt.join("; ")}`);
    }
    return { build: { dir: SOURCE, config_path: configPath }, image: null, commitSha };
  }

  async #commit(order: BuildOrder): Promise<string> {
    const bench = await Workbench.open(this.deps, order);
    try {
      return await this.#git.prepare(bench);
    } finally {
      await this.#trash.remove(order.folder);
    }
  }
}

function checkTemplate({ settings: { template } }: Revision): Prepared {
  if (template === null || !isTemplate(template))
    throw new PrepareFailed(`source_config.template names no built-in template: ${JSON.stringify(template)}`);
  return { config: {}, image: null };
}

/** An image that a cluster gets itself: nothing of it has to be here. */
function checkClusterImage({ config: { image_uri: uri } }: Revision): Prepared {
  if (uri === null) throw new PrepareFailed("image_uri is missing: name the image to run");
  if (isUploadPath(uri))
    throw new PrepareFailed(
      "A cluster gets its images from a registry: push the image, and name it in image_uri",
    );
  const digest = uri.split("@")[1] ?? null;
  return { config: { image_digest: digest }, image: null };
}

/** An aborted build fails in many ways, which are nobody's concern. */
async function settled<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? new BuildAborted() : error;
  }
}

/** What is killed may have started something else a moment before. */
const MOST_PASSES = 5;

/**
 * Ends whatever the builds of a revision (or of any) left behind: a command may have started something in a session
 * of its own, which is in no group that would be known.
 * @param mark of the data folder: another Berth's builds are not ours to end
 */
export function endStrays(mark: string, revisionId: string | "any"): void {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const left = processesWith(BUILD_MARK, DATA_MARK).filter(
      ({ marks }) => marks[DATA_MARK] === mark && (revisionId === "any" || marks[BUILD_MARK] === revisionId),
    );
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
