import type { PackedText } from "../database/index.ts";
import type { ChannelValueRow, CheckpointRow, CheckpointWriteRow } from "../schema/index.ts";

/** Maximum bytes of a stored value inside a page; a larger one is read by itself. */
export const MAX_INLINE_BYTES = 32_768;
/** Maximum number of rows of one kind in a page. */
export const MAX_PAGE_ROWS = 128;
/** Maximum number of checkpoints of which one page has the writes. */
export const MAX_PAGE_CHECKPOINTS = 64;

export type NamespaceKey = { thread: string; ns: string };
export type CheckpointKey = NamespaceKey & { checkpoint: string };
export type Version = { channel: string; version: string };

/** The value of a row as stored: text, or packed bytes; null for one above {@link MAX_INLINE_BYTES}. */
type Paged<Row> = Omit<Row, "value"> & { value: PackedText | null };

export type PagedValue = Paged<Pick<ChannelValueRow, "channel" | "version" | "type" | "value">>;
export type PagedWrite = Paged<CheckpointWriteRow>;
export type PagedChunk = { start: number; count: number; tag: string; value: PackedText | null };

/** A checkpoint with the first page of what tasks wrote on it. */
export type CheckpointPage = {
  row: CheckpointRow;
  writes: PagedWrite[];
  /** Of its channel versions; undefined above {@link MAX_PAGE_ROWS} versions, which are read in pages. */
  values: PagedValue[] | undefined;
};

/** A position in the order in which writes are read. */
export type WritePosition = { checkpoint: string; task: string; idx: number };

/** Writes of some checkpoints of a namespace, in the order of their keys. */
export type WritesQuery = NamespaceKey & {
  /** At most {@link MAX_PAGE_CHECKPOINTS}. */
  checkpoints: string[];
  /** Undefined for all channels. */
  channels?: string[] | undefined;
  /** Only writes behind this one. */
  after?: WritePosition | undefined;
};

/** Chunks of a list that start in a range of its elements. */
export type ChunksQuery = { thread: string; list: string; from: number; end: number };

export type CheckpointsQuery = {
  thread?: string | undefined;
  ns?: string | undefined;
  checkpoint?: string | undefined;
  /** Only checkpoints with a smaller id. */
  before?: string | undefined;
  /** Contained in the metadata. */
  filter?: Record<string, unknown> | undefined;
  /** Only checkpoints behind this one. */
  after?: CheckpointKey | undefined;
  limit: number;
};

/** The key of a value that is too large for a page. */
export type LargeValueKey =
  | ({ of: "value" } & NamespaceKey & Version)
  | ({ of: "write" } & NamespaceKey & WritePosition)
  | { of: "chunk"; thread: string; list: string; start: number };

/**
 * Reads stored checkpoints, for checkpointers in this process and for those of workers. Each method is one bounded
 * read: a page has at most {@link MAX_PAGE_ROWS} rows of each kind with values of at most {@link MAX_INLINE_BYTES}, so
 * that no read occupies the server process for long. Values stay as stored, because only their readers parse them.
 */
export interface CheckpointReader {
  /** Returns a checkpoint, by default the newest of its namespace. */
  checkpoint(key: NamespaceKey & { checkpoint?: string | undefined }): Promise<CheckpointPage | undefined>;
  /** Returns the keys of the next checkpoints, newest first: possibly fewer than `limit`, none at the end. */
  checkpoints(query: CheckpointsQuery): Promise<CheckpointKey[]>;
  /** Returns a checkpoint and its ancestors, as far as one page of older checkpoints contains them. */
  ancestors(key: CheckpointKey): Promise<CheckpointRow[]>;
  /** Returns the values of at most {@link MAX_PAGE_ROWS} versions; a version without a value has none. */
  values(query: NamespaceKey & { versions: Version[] }): Promise<PagedValue[]>;
  /** Returns a page of writes; one that is full may not be the last. */
  writes(query: WritesQuery): Promise<PagedWrite[]>;
  /** Returns a page of chunks in the order of their elements; one that is full may not be the last. */
  chunks(query: ChunksQuery): Promise<PagedChunk[]>;
  /** Returns a value of any size; undefined where it was deleted. */
  largeValue(key: LargeValueKey): Promise<PackedText | undefined>;
}
