import type { Database } from "../database/index.ts";

/** As large as a row of an archive is: a few of them fit in memory side by side, and many make an archive. */
export const CHUNK_BYTES = 524_288;

/** The bytes of archives that somebody sent, in the database: there every machine finds them. */
export class UploadChunks {
  constructor(private readonly db: Database) {}

  /** Adds a piece of at most {@link CHUNK_BYTES}; pieces are numbered from 0. */
  async put(uploadId: string, number: number, bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength > CHUNK_BYTES) throw new RangeError("a piece of an archive is too large for a row");
    const row = { upload_id: uploadId, number, bytes };
    const write = { scope: [`upload:${uploadId}`] };
    await this.db.write(
      (tx) =>
        tx
          .insertInto("upload_chunks")
          .values(row)
          .onConflict((there) => there.columns(["upload_id", "number"]).doUpdateSet({ bytes }))
          .execute(),
      write,
    );
  }

  /** The bytes of an archive, as they come; none where there is nothing of it. */
  async *read(uploadId: string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number += 1) {
      const row = await this.db.read
        .selectFrom("upload_chunks")
        .select("bytes")
        .where("upload_id", "=", uploadId)
        .where("number", "=", number)
        .executeTakeFirst();
      if (!row) return;
      yield new Uint8Array(row.bytes);
    }
  }

  async remove(uploadId: string): Promise<void> {
    await this.db.write((tx) => tx.deleteFrom("upload_chunks").where("upload_id", "=", uploadId).execute(), {
      scope: [`upload:${uploadId}`],
    });
  }
}
