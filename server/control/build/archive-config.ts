import { pythonGraphFault } from "@berth/agent";
import { type ArchiveContent, type ArchiveSink, readArchive } from "./archive.ts";

/** A longer configuration file is not read: the build refuses it. */
const MOST_BYTES = 2 ** 20;

/** What is known of an archive that was read to its end, without keeping anything of it. */
export type ArchiveLook = ArchiveContent & {
  /** Whether the configuration file is in it. */
  hasConfig: boolean;
  /** Where else a file of that path lies, below folders that it should not be in; null where nowhere. */
  elsewhere: string | null;
  /** Why its project is not served, in one line. */
  pythonFault: string | undefined;
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
  const fault = pythonGraphFault(config.graphs());
  return {
    ...content,
    hasConfig: config.found,
    elsewhere: config.elsewhere,
    pythonFault: fault && `${configPath}: ${fault}`,
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
  graphs(): unknown {
    if (this.#bytes > MOST_BYTES) return undefined;
    try {
      return (JSON.parse(Buffer.concat(this.#pieces).toString()) as { graphs?: unknown } | null)?.graphs;
    } catch {
      return undefined;
    }
  }
}

const depthOf = (path: string | null): number => path?.split("/").length ?? Number.POSITIVE_INFINITY;
