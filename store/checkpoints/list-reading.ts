import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Database } from "../database.ts";
import { decode } from "./encoding.ts";
import type { CachedList, ListCache } from "./list-cache.ts";
import { type KnownList, rememberTexts, type Segment } from "./lists.ts";
import { chunksOf } from "./queries.ts";

export type ListReader = {
  db: Database;
  serde: SerializerProtocol;
  cache: ListCache;
  trustIdentity: boolean;
};

/** The elements of a list value, from the cache where it can. The arrays are the caller's, the elements shared. */
export async function readList(reader: ListReader, thread: string, segments: Segment[]): Promise<KnownList> {
  const elements: unknown[] = [];
  const hashes: (bigint | undefined)[] = [];
  for (const { list, length, end, tag } of segments) {
    const cached = reader.cache.get(thread, list, end, tag) ?? (await readChunks(reader, thread, list, end));
    const piece = { elements: cached.elements.slice(0, length), hashes: cached.hashes.slice(0, length) };
    rememberTexts(piece, reader.trustIdentity);
    for (let index = 0; index < length; index++) cached.hashes[index] ??= piece.hashes[index];
    for (const element of piece.elements) elements.push(element);
    for (const hash of piece.hashes) hashes.push(hash);
  }
  return { elements, hashes, segments };
}

async function readChunks(
  { db, serde, cache }: ListReader,
  thread: string,
  list: string,
  end: number,
): Promise<Pick<CachedList, "elements" | "hashes">> {
  const elements: unknown[] = [];
  const tags = new Map<number, string>();
  let bytes = 0;
  for (const chunk of await chunksOf(db.read, { thread, list, end })) {
    // What a rollback took back, behind the part that somebody still reads.
    if (chunk.value === "") break;
    const decoded = decode(serde, "json", chunk.value);
    const values: unknown[] = decoded instanceof Promise ? await decoded : decoded;
    for (const value of values) elements.push(value);
    tags.set(elements.length, chunk.tag);
    bytes += chunk.value.length;
  }
  const hashes: (bigint | undefined)[] = new Array(elements.length).fill(undefined);
  cache.set(thread, list, { elements, hashes, bytes }, tags);
  return { elements, hashes };
}
