import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, isDiskFull, NO_ROOM, Serial, Unavailable } from "@berth/store";
import { type Archives, type KeptArchive, LocalArchives, removeOld } from "./local-archives.ts";

/** Where every machine finds an archive. */
export type SharedPlace = {
  /** Takes a whole file; when it resolves, others find it. */
  put(id: string, file: string): Promise<void>;
  /** Its bytes, as they come; none where there is no such archive. */
  read(id: string): AsyncIterable<Uint8Array>;
  remove(id: string): Promise<void>;
};

/**
 * Archives that every machine may need: in a place that all of them reach. What a machine took or read lies in its data
 * folder for a while, too.
 */
export class SharedArchives implements Archives {
  readonly folder: string;
  readonly #local: LocalArchives;
  /** By archive: who wants one that is on its way waits for it. */
  readonly #fetching = new Serial();

  constructor(
    dataDir: string,
    private readonly place: SharedPlace,
    private readonly clock: Clock,
  ) {
    this.#local = new LocalArchives(dataDir);
    this.folder = this.#local.folder;
  }

  async keep(id: string): Promise<void> {
    await this.place.put(id, join(this.folder, `${id}.part`));
    await this.#local.keep(id);
  }

  fileOf(archive: KeptArchive, signal?: AbortSignal): Promise<string | undefined> {
    return this.#fetching.run(archive.id, async () => {
      const file = join(this.folder, archive.id);
      if (existsSync(file)) await this.#touch(file);
      else if (!(await this.#fetch(archive, file, signal))) return undefined;
      return file;
    });
  }

  async remove(id: string): Promise<void> {
    await this.place.remove(id);
    await this.#local.remove(id);
  }

  tidy(now: number): Promise<void> {
    return removeOld(this.folder, now, () => true);
  }

  /** It is in use: what nobody uses is removed. */
  #touch(file: string): Promise<void> {
    const seconds = this.clock.now() / 1_000;
    return utimes(file, seconds, seconds).catch(() => undefined);
  }

  async #fetch({ id, bytes, sha256 }: KeptArchive, file: string, signal?: AbortSignal): Promise<boolean> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const part = `${file}.${randomUUID()}.part`;
    const hash = createHash("sha256");
    let length = 0;
    try {
      const target = await open(part, "wx", 0o600);
      try {
        for await (const chunk of this.place.read(id)) {
          signal?.throwIfAborted();
          length += chunk.byteLength;
          hash.update(chunk);
          await target.writeFile(chunk);
        }
      } finally {
        await target.close();
      }
      if (length === 0) return false;
      if (length !== bytes || hash.digest("hex") !== sha256)
        throw new Error(`the archive ${id} is kept as ${length} bytes that are not the ones that were sent`);
      await rename(part, file);
      return true;
    } catch (error) {
      throw isDiskFull(error) ? new Unavailable(`${NO_ROOM} for the archive`) : error;
    } finally {
      await rm(part, { force: true });
    }
  }
}
