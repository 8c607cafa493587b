import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pythonParts } from "@berth/agent";
import { Fault, type Revision, type Uploads } from "@berth/store";
import type { Texts } from "../../settings/index.ts";
import type { Archives } from "../files/index.ts";
import { type ArchiveContent, type ArchiveSink, readArchive } from "./archive.ts";
import { BadArchive, shown } from "./entry-names.ts";
import { BuildFailed, type BuildOrder, PrepareFailed } from "./order.ts";
import { isPythonHere, pythonMissing } from "./python-here.ts";
import type { Workbench } from "./workbench.ts";

type TarballDeps = {
  environment: Texts;
  uploads: Pick<Uploads, "at">;
  archives: Pick<Archives, "fileOf">;
};

/** The source of `internal_source`: an archive that was sent to the upload address. */
export class Tarballs {
  constructor(private readonly deps: TarballDeps) {}

  /**
   * Reads the archive to its end without keeping anything of it: what cannot be unpacked is told at once.
   * @throws PrepareFailed
   */
  async prepare({ revision, signal }: BuildOrder): Promise<void> {
    const file = await this.#file(revision, signal);
    const configPath = configPathOf(revision);
    const look = await lookIntoArchive(file, configPath, signal).catch((error) => {
      throw error instanceof BadArchive ? new PrepareFailed(error.message) : error;
    });
    const { files, hasConfig, elsewhere } = look;
    if (!hasConfig)
      throw new PrepareFailed(
        `langgraph_config_path ${shown(configPath)} is not in the archive, which holds ${files} files${elsewhere === null ? "" : hintAt(elsewhere, configPath)}`,
      );
    const fault = pythonMissing(look.pythonParts, isPythonHere(this.deps.environment));
    if (fault !== undefined) throw new PrepareFailed(`${configPath}: ${fault}`);
  }

  /** @throws BuildFailed */
  async fetch({ order, source }: Workbench): Promise<void> {
    const file = await this.#file(order.revision, order.signal);
    order.say("Unpacking the archive");
    const { files, bytes } = await unpackArchive(file, source, order.signal).catch((error) => {
      throw error instanceof BadArchive ? new BuildFailed(error.message) : error;
    });
    order.say(`Unpacked ${files} files, ${bytes} bytes`);
  }

  async #file({ deployment_id, config }: Revision, signal: AbortSignal): Promise<string> {
    const path = config.source_tarball_path;
    if (path === null)
      throw new PrepareFailed("This revision has no archive: upload one and name it in source_tarball_path");
    const upload = await this.deps.uploads.at(deployment_id, path).catch((error) => {
      throw error instanceof Fault ? new PrepareFailed(error.message, { cause: error }) : error;
    });
    const file = await this.deps.archives.fileOf(upload, signal);
    if (file === undefined) throw new PrepareFailed("The uploaded archive is gone: upload it again");
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
  if (path === null)
    throw new PrepareFailed(
      "langgraph_config_path is missing: name the graph.json, by its path in the archive",
    );
  return configPathIn(path);
}

/** The same of a path as a request spells it. */
export const configPathIn = (path: string): string => path.replace(/^(?:\.\/)+/, "");

/**
 * Maximum size of a configuration file that is looked into before the build, in the main process: `JSON.parse` is linear
 * and takes at most 7 ms for it. The build reads a longer one in a process of its own.
 */
const MOST_BYTES = 65_536;

/** What is known of an archive that was read to its end, without keeping anything of it. */
type ArchiveLook = ArchiveContent & {
  /** Whether the configuration file is in it. */
  hasConfig: boolean;
  /** Where else a file of that path lies, below folders that it should not be in; null where nowhere. */
  elsewhere: string | null;
  /** What of its project is Python. */
  pythonParts: string[];
};

/**
 * Reads an archive to its end: whether it can be unpacked, and whether its project can be served here.
 * @param configPath of the configuration file, as entries of an archive are named
 * @throws BadArchive
 */
export async function lookIntoArchive(
  file: string,
  configPath: string,
  signal?: AbortSignal,
): Promise<ArchiveLook> {
  const config = new OneFile(configPath);
  const content = await readArchive(file, config, signal ? { signal } : {});
  return {
    ...content,
    hasConfig: config.found,
    elsewhere: config.elsewhere,
    pythonParts: pythonParts(config.parsed()),
  };
}

class OneFile implements ArchiveSink {
  found = false;
  elsewhere: string | null = null;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(private readonly wanted: string) {}

  folder(): void {}

  file(path: string) {
    const isWanted = path === this.wanted;
    if (isWanted) this.found = true;
    // The one that lies the least deep: it is the project's own.
    if (path.endsWith(`/${this.wanted}`) && depthOf(path) < depthOf(this.elsewhere)) this.elsewhere = path;
    return { write: (bytes: Uint8Array) => (isWanted ? this.#keep(bytes) : undefined), end: () => undefined };
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= MOST_BYTES) this.#pieces.push(bytes.slice());
  }

  /** Nothing where it is no configuration file: the build says why. */
  parsed(): unknown {
    if (this.#bytes > MOST_BYTES) return undefined;
    try {
      return JSON.parse(Buffer.concat(this.#pieces).toString());
    } catch {
      return undefined;
    }
  }
}

const depthOf = (path: string | null): number => path?.split("/").length ?? Number.POSITIVE_INFINITY;

/**
 * Unpacks an archive into `folder`, which is there afterwards as a whole or not at all.
 * @throws BadArchive
 */
export async function unpackArchive(
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<ArchiveContent> {
  const fresh = `${folder}.part`;
  await rm(fresh, { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  const writing = new FolderWriter(fresh);
  try {
    const content = await readArchive(file, writing, { signal });
    await rename(fresh, folder);
    return content;
  } catch (error) {
    writing.close();
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** What an archive says of its entries' modes is not taken over, but for whether a file can be executed. */
const MODE = { file: 0o644, executable: 0o755, folder: 0o755 };

class FolderWriter implements ArchiveSink {
  readonly #root: string;
  readonly #folders = new Set<string>();
  #open: number | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  folder(path: string): void {
    if (this.#folders.has(path)) return;
    mkdirSync(join(this.#root, path), { recursive: true, mode: MODE.folder });
    this.#folders.add(path);
  }

  file(path: string, isExecutable: boolean) {
    if (path.includes("/")) this.folder(dirname(path));
    // "wx": a file that is there already would be a way around the rules for names.
    const target = openSync(join(this.#root, path), "wx", isExecutable ? MODE.executable : MODE.file);
    this.#open = target;
    return {
      write: (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at);
      },
      end: () => this.close(),
    };
  }

  /** Also where an archive ends in the middle of a file. */
  close(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }
}
