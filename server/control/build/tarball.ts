import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault, type Revision, type Uploads } from "@berth/store";
import { lookIntoArchive } from "./archive-config.ts";
import { BadArchive, shown } from "./entry-names.ts";
import { BuildFailed, type BuildOrder, PrepareFailed } from "./order.ts";
import { unpackArchive } from "./unpack.ts";
import type { Workbench } from "./workbench.ts";

export type TarballDeps = { dataDir: string; uploads: Pick<Uploads, "at"> };

/** The source of `internal_source`: an archive that was sent to the upload address. */
export class Tarballs {
  constructor(private readonly deps: TarballDeps) {}

  /**
   * Reads the archive to its end without keeping anything of it: what cannot be unpacked is told at once.
   * @throws PrepareFailed
   */
  async prepare({ revision, signal }: BuildOrder): Promise<void> {
    const file = await this.#file(revision);
    const configPath = configPathOf(revision);
    const { files, hasConfig, elsewhere, pythonFault } = await lookIntoArchive(
      file,
      configPath,
      signal,
    ).catch((error) => {
      throw error instanceof BadArchive ? new PrepareFailed(error.message) : error;
    });
    if (!hasConfig)
      throw new PrepareFailed(
        `langgraph_config_path ${shown(configPath)} is not in the archive, which holds ${files} files${elsewhere === null ? "" : hintAt(elsewhere, configPath)}`,
      );
    if (pythonFault !== undefined) throw new PrepareFailed(pythonFault);
  }

  /** @throws BuildFailed */
  async fetch({ order, source }: Workbench): Promise<void> {
    const file = await this.#file(order.revision);
    order.say("Unpacking the archive");
    const { files, bytes } = await unpackArchive(file, source, order.signal).catch((error) => {
      throw error instanceof BadArchive ? new BuildFailed(error.message) : error;
    });
    order.say(`Unpacked ${files} files, ${bytes} bytes`);
  }

  async #file({ deployment_id, config }: Revision): Promise<string> {
    const path = config.source_tarball_path;
    if (path === null) throw new PrepareFailed("No source was uploaded for this revision");
    const upload = await this.deps.uploads.at(deployment_id, path).catch((error) => {
      throw error instanceof Fault ? new PrepareFailed(error.message, { cause: error }) : error;
    });
    const file = join(this.deps.dataDir, "uploads", upload.id);
    if (!existsSync(file)) throw new PrepareFailed("The uploaded archive is gone: upload it again");
    return file;
  }
}

/** Who packs a project's folder rather than what is in it has everything one folder too deep. */
function hintAt(elsewhere: string, configPath: string): string {
  const folder = elsewhere.slice(0, -configPath.length - 1);
  return `. It holds ${shown(elsewhere)}: pack what is in ${shown(folder)} (tar -C ${folder} -czf project.tar.gz .), or name that path`;
}

/** The path of the configuration file, as entries of an archive are named. */
export function configPathOf({ config }: Revision): string {
  const path = config.langgraph_config_path;
  if (path === null) throw new PrepareFailed("langgraph_config_path does not say where the graph.json lies");
  return configPathIn(path);
}

/** The same of a path as a request spells it. */
export const configPathIn = (path: string): string => path.replace(/^(?:\.\/)+/, "");
