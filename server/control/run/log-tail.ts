import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import {
  type Clock,
  type Instance,
  type Instances,
  type LogLevel,
  type RevisionLogs,
  type Revisions,
  Serial,
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

type LogTailDeps = {
  folders: Pick<Folders, "filesOf">;
  instances: Pick<Instances, "live" | "get" | "set">;
  logs: Pick<RevisionLogs, "append">;
  revisions: Pick<Revisions, "secretsOf">;
  clock: Clock;
};

/** As much as one turn reads of one file, so that one that prints all the time holds nobody up. */
const TURN_BYTES = 1_048_576;
/** A line that is longer is taken in parts. */
const LINE_BYTES = 65_536;
/** A file that has grown beyond this begins anew once it is read, and what is unread beyond this is left out. */
const FILE_BYTES = 8_388_608;
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
    for (const instance of live) {
      const isRead = sizeOf(this.deps.folders.filesOf(instance).log) === instance.log_offset;
      if (!isRead) await this.#turn(instance.id, false);
    }
  }

  /** Everything that an instance which has ended had to say, its unfinished last line too. */
  async drain({ id }: Pick<Instance, "id">): Promise<void> {
    while (await this.#turn(id, true));
  }

  /** Whether there may be more. */
  #turn(id: string, atEnd: boolean): Promise<boolean> {
    return this.#reading.run(id, () => this.#read(id, atEnd));
  }

  async #read(id: string, atEnd: boolean): Promise<boolean> {
    // The row as it is now: whoever read the file last has moved its offset on.
    const instance = await this.deps.instances.get(id);
    if (instance?.driver !== "process") return false;
    const path = this.deps.folders.filesOf(instance).log;
    const piece = pieceOf(path, instance.log_offset);
    if (piece === undefined) return false;
    const { from, bytes, size } = piece;
    if (size - from > FILE_BYTES) {
      await this.#append(instance, [`${size - from} bytes of output are left out: too much at once`], size);
      await this.#beginAnew(path, instance);
      return false;
    }
    const { lines, used } = linesOf(bytes, atEnd && from + bytes.length >= size);
    if (used > 0) await this.#append(instance, lines, from + used);
    const isRead = from + used >= size;
    if (isRead && size > FILE_BYTES && sizeOf(path) === size) await this.#beginAnew(path, instance);
    return used > 0 && !isRead;
  }

  async #append(instance: Instance, lines: string[], offset: number): Promise<void> {
    const { deployment_id, revision_id } = instance;
    const mask = await this.#maskOf(revision_id);
    const now = this.deps.clock.now();
    const read = lines
      .filter((line) => line !== "")
      .map((line) => {
        const { at, level, message } = readLine(line, now);
        return { deployment_id, revision_id, kind: "deploy" as const, at, level, message: mask(message) };
      });
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
    const bytes = Buffer.alloc(Math.min(size - from, TURN_BYTES));
    const length = readSync(file, bytes, 0, bytes.length, from);
    return { from, bytes: bytes.subarray(0, length), size };
  } finally {
    closeSync(file);
  }
}

/** Undefined where there is no file (yet, or any more). */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;

/** Whole lines, and how many bytes they took; what follows the last of them waits for its end. */
function linesOf(bytes: Buffer, atEnd: boolean): { lines: string[]; used: number } {
  const lines: string[] = [];
  let used = 0;
  while (used < bytes.length) {
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
