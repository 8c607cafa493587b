import { expect, test } from "bun:test";
import { CHUNK_BYTES, UploadChunks } from "@berth/store";
import { everyStore } from "../every-store.ts";

everyStore("archives in the database", (open) => {
  const read = async (chunks: UploadChunks, id: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of chunks.read(id)) pieces.push(piece);
    return Buffer.concat(pieces);
  };

  test("come back byte for byte, in the order of their numbers", async () => {
    const chunks = new UploadChunks(await open());
    const first = crypto.getRandomValues(new Uint8Array(65_536));
    await chunks.put("one", 1, new Uint8Array([0, 255, 39]));
    await chunks.put("one", 0, first);
    await chunks.put("other", 0, new Uint8Array([7]));
    expect(Buffer.compare(await read(chunks, "one"), Buffer.concat([first, Buffer.from([0, 255, 39])]))).toBe(
      0,
    );
  });

  test("are sent again where nobody knows whether they came", async () => {
    const chunks = new UploadChunks(await open());
    await chunks.put("one", 0, new Uint8Array([1]));
    await chunks.put("one", 0, new Uint8Array([2]));
    expect([...(await read(chunks, "one"))]).toEqual([2]);
  });

  test("are gone when they are removed, and take no piece that is too large", async () => {
    const chunks = new UploadChunks(await open());
    await chunks.put("one", 0, new Uint8Array([1]));
    await chunks.remove("one");
    await chunks.remove("one");
    expect(await read(chunks, "one")).toHaveLength(0);
    await expect(chunks.put("one", 0, new Uint8Array(CHUNK_BYTES + 1))).rejects.toThrow(RangeError);
  });
});
