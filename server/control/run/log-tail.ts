import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Clock,
  type Instance,
  type Instances,
  LOG_LINES_PER_WRITE,
  type LogLevel,
  MAX_REVISION_LOG_LINES,
  type NewLogLine,
  type RevisionLogs,
  type Revisions,
  Serial,
  Turns,
} from "@berth/store";
import type { Folders } from "../../machine/index.ts";
import { maskOfRevision } from "../secret-mask.ts";

/** A line of an instance's output. */
type ReadLine = { at: number; level: LogLevel; message: string };

const MOST_CHARS = 16_384;

const LEVELS: Record<string, LogLevel> = {
  trace: "DEBUG",
  debug: "DEBUG",
  info: "INFO",
  warning: "WARNING",
  error: "ERROR",
  fatal: "CRITICAL",
};

/**
 * Reads one line: our own log's, or whatever else a project printed, which is taken as it is.
 * @param now when it was read, for lines that do not say when they were written
 */
export function readLine(text: string, now: number): ReadLine {
  const { at, level, message } = ownLine(text) ?? { at: now, level: "INFO" as const, message: text };
  return { at: now > 0 ? Math.min(at, now) : at, level, message: cut(message) };
}

function ownLine(text: string): ReadLine | undefined {
  if (!text.startsWith('{"time":')) return undefined;
  const record = parsed(text);
  if (record === undefined) return undefined;
  const { time, level, area, message, ...fields } = record;
  const known = typeof level === "string" ? LEVELS[level] : undefined;
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (known === undefined || Number.isNaN(at) || typeof message !== "string") return undefined;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  return { at, level: known, message: [`[${String(area)}]`, message, ...rest].join(" ") };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** An error by its own words rather than as JSON of its parts. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null && "stack" in value && typeof value.stack === "string")
    return value.stack;
  return JSON.stringify(value);
}

const cut = (message: string) =>
  message.length > MOST_CHARS ? `${message.slice(0, MOST_CHARS)}… (${message.length} characters)` : message;

/** The text of the log that states how many lines of an instance were dropped before they were written. */
export const droppedLines = (count: number): string =>
  `… ${count} lines were dropped: the log keeps the newest ${MAX_REVISION_LOG_LINES} lines …`;

type LogTailDeps = {
  folders: Pick<Folders, "filesOf">;
  instances: Pick<Instances, "live" | "get" | "set">;
  logs: Pick<RevisionLogs, "append">;
  revisions: Pick<Revisions, "secretsOf">;
  clock: Clock;
};

/** Maximum number of bytes of one read of a file. */
const READ_BYTES = 262_144;
/** Time after which a turn of the timer loop ends, although there are unread lines. */
const TURN_MS = 200;
/**
 * Maximum number of lines that a drain or a turn writes of what an instance has printed: older ones would be trimmed
 * right after. A few fewer than the log keeps, so that the line which states how many were dropped stays.
 */
export const MAX_UNREAD_LINES = MAX_REVISION_LOG_LINES - 1_000;
/** A line that is longer is taken in parts. */
const LINE_BYTES = 65_536;
/** A file that has grown beyond this begins anew once it is read, and what is unread beyond this is left out. */
const FILE_BYTES = 8_388_608;
/** A file of this size begins anew even if it is not read: an instance that never pauses must not fill the disk. */
const MAX_FILE_BYTES = 8 * FILE_BYTES;
/** Maximum number of reads of a drain: enough for all that one leaves of a file, an end for one that still grows. */
const MAX_DRAIN_READS = Math.ceil(MAX_UNREAD_LINES / LOG_LINES_PER_WRITE) + FILE_BYTES / READ_BYTES + 10;
const SCAN_BYTES = 65_536;
const NEWLINE = 10;

/**
 * Moves what instances print from their files into the log that people read. Lines and the place up to which the
 * file is read are written together: a crash neither repeats a line nor drops one.
 */
export class LogTail {
  readonly #masks = new Map<string, Promise<(text: string) => string>>();
  /** By instance: a turn of the loop and a drain must not both take the same lines. */
  readonly #reading = new Serial();

  constructor(private readonly deps: LogTailDeps) {}

  /** One turn of the timer loop: what every instance has printed since the last one. */
  async once(): Promise<void> {
    const live = (await this.deps.instances.live()).filter(({ driver }) => driver === "process");
    const revisions = new Set(live.map(({ revision_id }) => revision_id));
    for (const id of this.#masks.keys()) if (!revisions.has(id)) this.#masks.delete(id);
    let unread = live.filter(
      (instance) => sizeOf(this.deps.folders.filesOf(instance).log) !== instance.log_offset,
    );
    // Round robin: an instance that prints much does not delay the lines of the others.
    const until = performance.now() + TURN_MS;
    for (let round = 0; unread.length > 0 && performance.now() < until; round += 1) {
      const left: Instance[] = [];
      for (const instance of unread)
        if (await this.#turn(instance.id, { atEnd: false, drops: round === 0 })) left.push(instance);
      unread = left;
    }
  }

  /** Everything that an instance which has ended had to say, its unfinished last line too. */
  async drain({ id }: Pick<Instance, "id">): Promise<void> {
    for (let reads = 0; reads < MAX_DRAIN_READS; reads += 1)
      if (!(await this.#turn(id, { atEnd: true, drops: reads === 0 }))) return;
  }

  /** Whether there may be more. */
  #turn(id: string, turn: ReadTurn): Promise<boolean> {
    return this.#reading.run(id, () => this.#read(id, turn));
  }

  async #read(id: string, { atEnd, drops }: ReadTurn): Promise<boolean> {
    // The row as it is now: whoever read the file last has moved its offset on.
    const instance = await this.deps.instances.get(id);
    if (instance?.driver !== "process") return false;
    const path = this.deps.folders.filesOf(instance).log;
    const offset = drops ? await this.#dropTrimmed(path, instance) : instance.log_offset;
    const piece = pieceOf(path, offset);
    if (piece === undefined) return false;
    const { from, bytes, size } = piece;
    if (size - from > FILE_BYTES || size > MAX_FILE_BYTES) {
      await this.#append(instance, [`${size - from} bytes of output are left out: too much at once`], size);
      await this.#beginAnew(path, instance);
      return false;
    }
    const { lines, used } = linesOf(bytes, atEnd && from + bytes.length >= size);
    if (used > 0) await this.#append(instance, lines, from + used);
    const isRead = from + used >= size;
    if (isRead && size > FILE_BYTES && sizeOf(path) === size) await this.#beginAnew(path, instance);
    await nextTurn();
    return used > 0 && !isRead;
  }

  /** Skips unread lines that trimming would remove, records how many, and returns the offset of the next line. */
  async #dropTrimmed(path: string, instance: Instance): Promise<number> {
    const skipped = await trimmedLines(path, instance.log_offset);
    if (skipped === undefined) return instance.log_offset;
    const { deployment_id, revision_id } = instance;
    const at = this.deps.clock.now();
    const message = droppedLines(skipped.lines);
    await this.deps.logs.append(
      [{ deployment_id, revision_id, kind: "deploy", at, level: "WARNING", message }],
      { instance: instance.id, offset: skipped.to },
    );
    return skipped.to;
  }

  async #append(instance: Instance, lines: string[], offset: number): Promise<void> {
    const { deployment_id, revision_id } = instance;
    const mask = await this.#maskOf(revision_id);
    const now = this.deps.clock.now();
    const turns = new Turns();
    const read: NewLogLine[] = [];
    for (const line of lines) {
      if (line === "") continue;
      const { at, level, message } = readLine(line, now);
      read.push({ deployment_id, revision_id, kind: "deploy", at, level, message: mask(message) });
      await turns.rest();
    }
    await this.deps.logs.append(read, { instance: instance.id, offset });
  }

  /** The process adds to the end of its file, wherever that is by now. */
  async #beginAnew(path: string, instance: Instance): Promise<void> {
    truncateSync(path);
    await this.deps.instances.set(instance.id, { log_offset: 0 });
  }

  #maskOf(revisionId: string): Promise<(text: string) => string> {
    const known = this.#masks.get(revisionId);
    if (known) return known;
    const asked = maskOfRevision(this.deps.revisions, revisionId);
    this.#masks.set(revisionId, asked);
    asked.catch(() => this.#masks.delete(revisionId));
    return asked;
  }
}

type ReadTurn = {
  /** Whether the last line is read although it is unfinished. */
  atEnd: boolean;
  /** Whether lines are skipped that trimming would remove. */
  drops: boolean;
};

/** How many unread lines of a file trimming would remove, and where the next one begins; undefined where none. */
async function trimmedLines(
  path: string,
  offset: number,
): Promise<{ lines: number; to: number } | undefined> {
  const size = sizeOf(path) ?? 0;
  const unread = size - offset;
  // Each line has a byte at least. What is larger is left out as bytes.
  if (unread <= MAX_UNREAD_LINES || unread > FILE_BYTES) return undefined;
  const file = openSync(path, "r");
  try {
    const turns = new Turns();
    const to = await newestFrom(file, offset, size, turns);
    if (to === undefined) return undefined;
    let lines = 0;
    for (let at = offset; at < to; at += SCAN_BYTES) {
      for (const byte of bytesAt(file, at, Math.min(to - at, SCAN_BYTES))) if (byte === NEWLINE) lines += 1;
      await turns.rest();
    }
    return { lines, to };
  } finally {
    closeSync(file);
  }
}

/** Where the newest lines of a part of a file begin, of which there may be that many; undefined where there are fewer. */
async function newestFrom(
  file: number,
  from: number,
  end: number,
  turns: Turns,
): Promise<number | undefined> {
  let found = 0;
  for (let until = end; until > from; until -= SCAN_BYTES) {
    const start = Math.max(from, until - SCAN_BYTES);
    const bytes = bytesAt(file, start, until - start);
    for (let at = bytes.length - 1; at >= 0; at -= 1) {
      if (bytes[at] === NEWLINE) found += 1;
      if (found > MAX_UNREAD_LINES) return start + at + 1;
    }
    await turns.rest();
  }
  return undefined;
}

function bytesAt(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, from));
}

type Piece = { from: number; bytes: Buffer; size: number };

/** What is new in a file; one that is shorter than what was read of it has begun anew. */
function pieceOf(path: string, offset: number): Piece | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(file);
    const from = size < offset ? 0 : offset;
    return { from, bytes: bytesAt(file, from, Math.min(size - from, READ_BYTES)), size };
  } finally {
    closeSync(file);
  }
}

/** Undefined where there is no file (yet, or any more). */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;

/** Whole lines, as many as are written together, and their bytes; what follows the last of them waits for its end. */
function linesOf(bytes: Buffer, atEnd: boolean): { lines: string[]; used: number } {
  const lines: string[] = [];
  let used = 0;
  while (used < bytes.length && lines.length < LOG_LINES_PER_WRITE) {
    const end = bytes.indexOf(NEWLINE, used);
    const length = (end === -1 ? bytes.length : end) - used;
    if (length > LINE_BYTES) {
      lines.push(bytes.toString("utf8", used, used + LINE_BYTES));
      used += LINE_BYTES;
      continue;
    }
    if (end === -1 && !atEnd) break;
    lines.push(bytes.toString("utf8", used, used + length));
    used += length + (end === -1 ? 0 : 1);
  }
  return { lines, used };
}
