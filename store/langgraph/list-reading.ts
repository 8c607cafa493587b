import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import {
  type CachedList,
  type CheckpointReader,
  decode,
  type KnownList,
  type ListCache,
  type ListSegment,
  rememberTexts,
} from "../checkpoints/index.ts";
import { chunksOf } from "./stored-rows.ts";

export type ListReader = {
  reader: CheckpointReader;
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
    const stored =
      reader.cache.get(thread, list, end, tag) ??
      (await readRest(reader, thread, list, end)) ??
      (await readChunks(reader, thread, list, end));
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
  { reader, serde, cache }: ListReader,
  thread: string,
  list: string,
  end: number,
): Promise<Piece> {
  const elements: unknown[] = [];
  const tags = new Map<number, string>();
  let bytes = 0;
  for await (const { value, tag } of chunksOf(reader, { thread, list, from: 0, end })) {
    // What a rollback took back, behind the part that somebody still reads.
    if (value === "") break;
    for (const element of await decodeChunk(serde, value)) elements.push(element);
    tags.set(elements.length, tag);
    bytes += value.length;
  }
  const hashes: (bigint | undefined)[] = new Array(elements.length).fill(undefined);
  cache.set(thread, list, { elements, hashes, bytes }, tags);
  return { elements, hashes };
}

/**
 * Reads what other workers added to a list that the cache has a part of; undefined where that part differs. The last
 * chunk of that part is read again, because its tag shows whether the list still begins as the cache has it.
 */
async function readRest(
  { reader, serde, cache }: ListReader,
  thread: string,
  list: string,
  end: number,
): Promise<Piece | undefined> {
  const known = cache.end(thread, list);
  if (!known || known.end >= end) return undefined;
  let isFirst = true;
  for await (const { start, value, tag } of chunksOf(reader, { thread, list, from: known.start, end })) {
    if (isFirst && (Number(start) !== known.start || tag !== known.tag)) return undefined;
    if (!isFirst) {
      if (value === "") break;
      const elements = await decodeChunk(serde, value);
      const hashes: (bigint | undefined)[] = new Array(elements.length).fill(undefined);
      cache.append(thread, list, Number(start), { elements, hashes, bytes: value.length }, tag);
    }
    isFirst = false;
  }
  // Undefined also if the cache dropped the list during the reads.
  return cache.end(thread, list)?.end === end ? known.cached : undefined;
}

const decodeChunk = async (serde: ListReader["serde"], value: string): Promise<unknown[]> =>
  (await decode(serde, "json", value)) as unknown[];
