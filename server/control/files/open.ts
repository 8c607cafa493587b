import { createReadStream } from "node:fs";
import { CHUNK_BYTES, type UploadChunks } from "@berth/store";
import { Bucket, placeOf } from "../../bucket/index.ts";
import type { Settings } from "../../settings/index.ts";
import { type Archives, LocalArchives } from "./local-archives.ts";
import { SharedArchives, type SharedPlace } from "./shared-archives.ts";

type FileSettings = Pick<Settings, "dataDir" | "databaseFile" | "filesUrl" | "bucket">;

/** Whether several machines may share what this one keeps. */
export const isShared = ({ databaseFile }: Pick<Settings, "databaseFile">): boolean => databaseFile === null;

/**
 * Where uploaded archives are: in S3-like storage where that is set, else in the database where machines share one,
 * else in the data folder.
 * @throws BucketError storage without a key
 */
export function openArchives(settings: FileSettings, chunks: UploadChunks): Archives {
  const { dataDir, filesUrl } = settings;
  if (filesUrl !== null) return new SharedArchives(dataDir, inBucket(filesUrl, settings));
  return isShared(settings)
    ? new SharedArchives(dataDir, inDatabase(chunks))
    : new LocalArchives(dataDir);
}

function inBucket(address: string, { bucket: access }: FileSettings): SharedPlace {
  const { bucket: name, key } = placeOf(address);
  const bucket = new Bucket(name, access);
  const keyOf = (id: string) => `${key === "" ? "" : `${key}/`}uploads/${id}`;
  return {
    put: (id, file) => bucket.upload(file, keyOf(id)),
    async *read(id) {
      if ((await bucket.size(keyOf(id))) !== undefined) yield* bucket.read(keyOf(id));
    },
    remove: (id) => bucket.remove(keyOf(id)),
  };
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
