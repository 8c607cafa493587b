import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import {
  type CachedList,
  chunksOf,
  decode,
  type KnownList,
  type ListCache,
  type ListSegment,
  rememberTexts,
} from "../checkpoints/index.ts";
import type { Database } from "../database/index.ts";

export type ListReader = {
  db: Database;
  /** Undefined for values of a graph in Python. */
  serde: SerializerProtocol | undefined;
  cache: ListCache;
  trustIdentity: boolean;
};

type Piece = Pick<CachedList, "elements" | "hashes">;

/** The elements of a list value, from the cache where it can. The arrays are the caller's, the elements shared. */
export async function readList(
  reader: ListReader,
  thread: string,
  segments: ListSegment[],
): Promise<KnownList> {
  const pieces: Piece[] = [];
  for (const { list, length, end, tag } of segments) {
    const stored = reader.cache.get(thread, list, end, tag) ?? (await readChunks(reader, thread, list, end));
    const piece = { elements: stored.elements.slice(0, length), hashes: stored.hashes.slice(0, length) };
    for (const index of rememberTexts(piece, reader.trustIdentity))
      stored.hashes[index] = piece.hashes[index];
    pieces.push(piece);
  }
  const [first] = pieces;
  if (first && pieces.length === 1) return { ...first, segments };
  return {
    elements: pieces.flatMap((piece) => piece.elements),
    hashes: pieces.flatMap((piece) => piece.hashes),
    segments,
  };
}

async function readChunks(
  { db, serde, cache }: ListReader,
  thread: string,
  list: string,
  end: number,
): Promise<Piece> {
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
