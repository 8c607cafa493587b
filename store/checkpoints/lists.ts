/**
 * How long lists are stored: each element once, whatever becomes of the list.
 *
 * A list channel's value (from 8 elements or 16 KB on) is a row of segments: the first `length` elements of one
 * stored list, then of the next. A stored list is a row of chunks that is only ever added to, at its end.
 * A value that extends the one before adds a chunk to the last list; one that differs from some element on
 * keeps the segments before it and begins a list of its own there, so a fork, a removal or a replaced last
 * message costs its own elements and not the history.
 *
 * Two savers, in two processes too, may go on from the same element. The database decides: a chunk is added
 * only where the list still ends with the chunk (its random tag) that the saver believes to be the last. The
 * loser begins a list of its own with what it wanted to add. Positions of a list are never written twice.
 */
import { newUlid } from "../ulid.ts";
import { encodeText } from "./encoding.ts";
import type { ListCache, Piece } from "./list-cache.ts";
import { randomWord } from "./versions.ts";

/** Minimum elements of an array that is stored as a list; a shorter one is stored whole, unless its text is long. */
export const LIST_FROM = 8;
/** Minimum characters of an array that is stored as a list whatever its length: files in messages are stored once. */
export const LIST_FROM_CHARS = 16_384;
/** The youngest elements are compared by their text: graphs rewrite them in place most often. */
const WATCHED = 4;

/** The first `length` elements of a list; they are all written once the chunk that ends at `end` has `tag`. */
export type ListSegment = { list: string; length: number; end: number; tag: string };

export type ListChunk = { list: string; start: number; count: number; tag: string; value: string };

/** What a saver knows of the newest value of a channel. Never changed: the next value makes a new one. */
export type KnownList = {
  elements: unknown[];
  hashes: (bigint | undefined)[];
  /** Where the elements are, if everything on its way gets there as planned. */
  segments: ListSegment[];
  plan?: ListPlan;
};

/** One value of a list channel on its way into the database. */
export type ListPlan = {
  segments: ListSegment[];
  /** To be added, unless the value is made of known segments only. */
  chunk?: ListChunk;
  /** The chunk goes on an existing list that must end with this tag. */
  after?: string;
  /** Where the elements stood that are in the database for certain, and the texts since. */
  settled: { segments: ListSegment[]; length: number };
  unsettled: string[];
  /** How many elements the value has. */
  length: number;
  /** Only in the thread that made the plan: they are the graph's own objects. */
  elements?: unknown[];
  /** Where the elements went, once that is known. */
  outcome?: ListSegment[];
};

export const hashText = (text: string): bigint => {
  const hash = Bun.hash(text);
  return typeof hash === "bigint" ? hash : BigInt(hash);
};

export const segmentsText = (segments: ListSegment[]): string =>
  JSON.stringify(segments.map(({ list, length, end, tag }) => [list, length, end, tag]));

/** @param value a `list` row's value, as `segmentsText` wrote it */
export function parseSegments(value: string): ListSegment[] {
  const parsed: [string, number, number, string][] = JSON.parse(value);
  return parsed.map(([list, length, end, tag]) => ({ list, length, end, tag }));
}

/** The lists that a `list` row's value reads. */
export const listsOfValue = (value: string): string[] => parseSegments(value).map(({ list }) => list);

const lengthOf = (segments: ListSegment[]) => segments.reduce((sum, segment) => sum + segment.length, 0);

function cut(segments: ListSegment[], length: number): ListSegment[] {
  const kept: ListSegment[] = [];
  let left = length;
  for (const segment of segments) {
    if (left <= 0) break;
    kept.push(left < segment.length ? { ...segment, length: left } : segment);
    left -= segment.length;
  }
  return kept;
}

/**
 * Gives up segments at the end that are small beside what follows them, or beside the list they are cut
 * from: so their number stays logarithmic in the length, and what a reader reads in vain below one half.
 */
function worthKeeping(segments: ListSegment[], length: number): ListSegment[] {
  const kept = [...segments];
  let behind = length - lengthOf(segments);
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const small = behind > 0 && last.length < 2 * behind;
    if (!small && last.length * 2 >= last.end) break;
    kept.pop();
    behind += last.length;
  }
  return kept;
}

export type ListWatch = {
  /** False: compare every element by its text. */
  trustIdentity: boolean;
  /** Objects that a node may have changed in place since the value before. */
  touched: ReadonlySet<unknown>;
};

type Prefix = { length: number; mutated: boolean };

/** How far a new value repeats the known one. */
function commonPrefix(known: KnownList, value: unknown[], watch: ListWatch): Prefix {
  const shared = Math.min(known.elements.length, value.length);
  const watched = watch.trustIdentity ? known.elements.length - WATCHED : 0;
  for (let index = 0; index < shared; index++) {
    const old = known.elements[index];
    const element = value[index];
    const same = element === old;
    if (same && (typeof element !== "object" || element === null)) continue;
    if (same && index < watched && !watch.touched.has(element)) continue;
    // Without a hash from before, only another object can tell what the text was.
    const before = known.hashes[index] ?? (same ? undefined : hashText(encodeText(old)));
    if (before !== hashText(encodeText(element))) return { length: index, mutated: same };
  }
  return { length: shared, mutated: false };
}

/**
 * Fills in the hashes that `commonPrefix` will ask for, while the objects are still as they were read.
 * @returns the indexes it filled in
 */
export function rememberTexts(piece: Omit<Piece, "bytes">, trustIdentity: boolean): number[] {
  const filled: number[] = [];
  const first = trustIdentity ? Math.max(0, piece.elements.length - WATCHED) : 0;
  for (let index = first; index < piece.elements.length; index++) {
    if (piece.hashes[index] !== undefined) continue;
    piece.hashes[index] = hashText(encodeText(piece.elements[index]));
    filled.push(index);
  }
  return filled;
}

type Written = Piece & { texts: string[] };

function encodeFrom(value: unknown[], start: number): Written {
  const elements = value.slice(start);
  const texts = elements.map(encodeText);
  return {
    elements,
    texts,
    hashes: texts.map(hashText),
    bytes: texts.reduce((n, text) => n + text.length, 0),
  };
}

function newList(texts: string[]): { segment: ListSegment; chunk: ListChunk } {
  const chunk = {
    list: newUlid(),
    start: 0,
    count: texts.length,
    tag: randomWord(6),
    value: `[${texts}]`,
  };
  return { segment: { list: chunk.list, length: chunk.count, end: chunk.count, tag: chunk.tag }, chunk };
}

/** Decides how a value is stored, given the value before. */
export function planList(
  thread: string,
  value: unknown[],
  known: KnownList | undefined,
  watch: ListWatch,
  cache: ListCache,
): KnownList & { plan: ListPlan } {
  if (!known) return begin(thread, value, [], [], watch, cache);
  const prefix = commonPrefix(known, value, watch);
  // The objects are shared with other versions of the list, which must keep the old text.
  if (prefix.mutated) cache.drop(thread);
  const segments = known.plan?.outcome ?? known.segments;
  const last = segments.at(-1);
  const extends_ = prefix.length === known.elements.length;
  if (last && extends_ && last.end === last.length && value.length > prefix.length) {
    return extend(thread, value, { ...known, segments }, last, cache);
  }
  const kept = worthKeeping(cut(segments, prefix.length), value.length);
  return begin(thread, value, kept, known.hashes, watch, cache);
}

function extend(
  thread: string,
  value: unknown[],
  known: KnownList,
  last: ListSegment,
  cache: ListCache,
): KnownList & { plan: ListPlan } {
  const start = known.elements.length;
  const tail = encodeFrom(value, start);
  const count = tail.elements.length;
  const chunk = { list: last.list, start: last.length, count, tag: randomWord(6), value: `[${tail.texts}]` };
  const end = last.length + count;
  const grown = { list: last.list, length: end, end, tag: chunk.tag };
  const segments = [...known.segments.slice(0, -1), grown];
  cache.append(thread, last.list, last.length, tail, chunk.tag);
  const elements = value.slice();
  const before = known.plan;
  const certain = !before || before.outcome !== undefined;
  const plan: ListPlan = {
    segments,
    chunk,
    after: last.tag,
    settled: certain ? { segments: known.segments, length: start } : before.settled,
    unsettled: certain ? tail.texts : before.unsettled.concat(tail.texts),
    length: elements.length,
    elements,
  };
  return { elements, hashes: known.hashes.concat(tail.hashes), segments, plan };
}

/** A list of its own for what does not stand in the kept segments. */
function begin(
  thread: string,
  value: unknown[],
  kept: ListSegment[],
  hashes: (bigint | undefined)[],
  watch: ListWatch,
  cache: ListCache,
): KnownList & { plan: ListPlan } {
  const start = lengthOf(kept);
  const tail = encodeFrom(value, start);
  const elements = value.slice();
  const { length } = elements;
  const settled = { segments: kept, length: start };
  const known = { elements, hashes: hashes.slice(0, start).concat(tail.hashes) };
  rememberTexts(known, watch.trustIdentity);
  if (tail.elements.length === 0) {
    return { ...known, segments: kept, plan: { segments: kept, settled, unsettled: [], length, elements } };
  }
  const { segment, chunk } = newList(tail.texts);
  cache.set(thread, segment.list, tail, new Map([[segment.end, segment.tag]]));
  const segments = [...kept, segment];
  return { ...known, segments, plan: { segments, chunk, settled, unsettled: tail.texts, length, elements } };
}

/** The same value when another saver went on from where it wanted to: its new elements in a list of their own. */
export function forked(plan: ListPlan): ListPlan {
  const { segment, chunk } = newList(plan.unsettled);
  return { ...plan, segments: [...plan.settled.segments, segment], chunk, after: undefined };
}

/**
 * The same value when the segments it builds on are gone (its thread was pruned meanwhile).
 * @throws Error the elements are in another thread: the attempt that wrote it has to begin again
 */
export function whole(plan: ListPlan): ListPlan {
  if (!plan.elements) throw new Error("The thread was pruned while the run was under way");
  const { segment, chunk } = newList(plan.elements.map(encodeText));
  return { ...plan, segments: [segment], chunk, after: undefined };
}
