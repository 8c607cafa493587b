import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BlobWriter } from "../../../server/control/registry/blob-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-blob-writer-"));
afterAll(() => rmSync(folder, { recursive: true }));

const chunk = (at: number) => new Uint8Array(100_000).fill(at);
const expected = Buffer.concat(Array.from({ length: 30 }, (_, at) => chunk(at)));

/** Has a writer take 3 MB in thirty chunks. */
async function takeAll(file: FileHandle): Promise<Uint8Array[]> {
  const writer = new BlobWriter(file);
  const chunks = Array.from({ length: 30 }, (_, at) => chunk(at));
  for (const one of chunks) await writer.take(one);
  await writer.end();
  return chunks;
}

test("chunks are behind each other in the file, and their memory is given back", async () => {
  const path = join(folder, "whole");
  const file = await open(path, "w");
  const chunks = await takeAll(file);
  await file.close();
  expect(readFileSync(path).equals(expected)).toBe(true);
  expect(chunks.map(({ byteLength }) => byteLength)).toEqual(chunks.map(() => 0));
});

test("what the disk takes a part of is written to its end", async () => {
  const written: Uint8Array[] = [];
  const part = async (bytes: Uint8Array) => {
    const some = bytes.slice(0, Math.ceil(bytes.byteLength / 3));
    written.push(some);
    return { bytesWritten: some.byteLength, buffer: bytes };
  };
  const file = {
    writev: async (batch: Uint8Array[]) => part(Buffer.concat(batch)),
    write: part,
  } as unknown as FileHandle;
  await takeAll(file);
  expect(Buffer.concat(written).equals(expected)).toBe(true);
});

test("a disk that takes nothing more is told with one of the next chunks", async () => {
  const file = {
    writev: async () => {
      throw new Error("no room");
    },
  } as unknown as FileHandle;
  await expect(takeAll(file)).rejects.toThrow("no room");
});
