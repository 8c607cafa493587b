import { createReadStream } from "node:fs";
import { CHUNK_BYTES, type Clock, Unavailable, type UploadChunks } from "@berth/store";
import { Bucket, BucketError, placeOf } from "../../bucket/index.ts";
import { logger } from "../../log/index.ts";
import type { Settings } from "../../settings/index.ts";
import { type Archives, LocalArchives } from "./local-archives.ts";
import { SharedArchives, type SharedPlace } from "./shared-archives.ts";

/** What says where files are. */
export type FileSettings = Pick<Settings, "dataDir" | "databaseFile" | "filesUrl" | "bucket">;

/** Whether several machines may share what this one keeps. */
export const isShared = ({ databaseFile }: Pick<Settings, "databaseFile">): boolean => databaseFile === null;

/**
 * Where uploaded archives are: in S3-like storage where that is set, else in the database where machines share one,
 * else in the data folder.
 * @throws BucketError storage without a key
 */
export function openArchives(settings: FileSettings, chunks: UploadChunks, clock: Clock): Archives {
  const place = sharedPlaceFor(settings, chunks, "uploads");
  return place ? new SharedArchives(settings.dataDir, place, clock) : new LocalArchives(settings.dataDir);
}

/**
 * Where files are that every machine needs; undefined where the data folder of this one is enough.
 * @param folder below which a bucket has them
 * @throws BucketError storage without a key
 */
export function sharedPlaceFor(
  settings: FileSettings,
  chunks: UploadChunks,
  folder: string,
): SharedPlace | undefined {
  if (settings.filesUrl !== null) return inBucket(settings.filesUrl, settings, folder);
  return isShared(settings) ? inDatabase(chunks) : undefined;
}

function inBucket(address: string, { bucket: access }: FileSettings, folder: string): SharedPlace {
  const { bucket: name, key } = placeOf(address);
  const bucket = new Bucket(name, access);
  const keyOf = (id: string) => `${key === "" ? "" : `${key}/`}${folder}/${id}`;
  return {
    put: (id, file) => bucket.upload(file, keyOf(id)).catch(unavailable),
    async *read(id) {
      if ((await bucket.size(keyOf(id))) !== undefined) yield* bucket.read(keyOf(id));
    },
    remove: (id) => bucket.remove(keyOf(id)),
  };
}

/** Whoever uploads may try again; what the storage said is for those who look after it. */
function unavailable(error: unknown): never {
  if (!(error instanceof BucketError)) throw error;
  logger("control").error("archive.not_kept", { error });
  throw new Unavailable("The storage for archives does not accept this archive now: try again later");
}

function inDatabase(chunks: UploadChunks): SharedPlace {
  return {
    async put(id, file) {
      let number = 0;
      for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
        await chunks.put(id, number, chunk);
        number += 1;
      }
    },
    read: (id) => chunks.read(id),
    remove: (id) => chunks.remove(id),
  };
}
