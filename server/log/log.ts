import { writeSync } from "node:fs";
import { maskOf } from "@berth/store/mask";
import { configureSync, getLogger, type Logger, type LogLevel, type LogRecord } from "@logtape/logtape";
import type { LogFormat } from "../settings/index.ts";
import { terminalText } from "./terminal-text.ts";

type LogOptions = {
  level: LogLevel;
  format: LogFormat;
  /** Texts that are never written, wherever they turn up: the keys this process knows. */
  secrets?: readonly string[];
  /** Takes whole lines; standard output when absent. */
  write?(text: string): void;
};

/** The log of one area of the process (`http`, `runs`, …). One line per thing that happened. */
export const logger = (area: string): Logger => getLogger(["berth", area]);

/** Sets the log of the process up; until then it says nothing. Lines are written together, once a turn. */
export function startLog({ level, format, secrets = [], write = toStdout }: LogOptions): void {
  const line = format === "json" ? jsonLine : prettyLine;
  const hide = maskOf(secrets);
  const lines = new LineBuffer(write);
  const repeats = new Repeats();
  pending = lines;
  configureSync({
    sinks: {
      lines: (said) => {
        const record = repeats.take(said);
        if (record) lines.add(hide(line(record)));
      },
    },
    loggers: [
      { category: "berth", lowestLevel: level, sinks: ["lines"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["lines"] },
    ],
    reset: true,
  });
  process.once("exit", () => lines.flush());
}

/**
 * A line about the process itself, such as its start, in the form of the JSON log: whoever reads the log by program
 * wants no other line in it, and wants this one at any level.
 */
export function jsonLineOf(
  level: LogLevel,
  message: string,
  properties: Record<string, unknown> = {},
): string {
  const line = { timestamp: Date.now(), level, category: ["berth", "process"], properties };
  return `${jsonLine({ ...line, message: [message], rawMessage: message })}\n`;
}

/** Writes such a line at once, behind what was logged before it. */
export function writeJsonLine(message: string, properties: Record<string, unknown> = {}): void {
  pending?.flush();
  toStdout(jsonLineOf("info", message, properties));
}

let pending: LineBuffer | undefined;

const mask = "***";
const secretName = /api[-_]?key|secret|password|authorization|cookie|credential|(?:^|[-_])token$/i;

class LineBuffer {
  readonly #write: (text: string) => void;
  #text = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    if (this.#text === "") setImmediate(() => this.flush());
    this.#text += `${line}\n`;
  }

  flush(): void {
    if (this.#text !== "") this.#write(this.#text);
    this.#text = "";
  }
}

function jsonLine({ timestamp, level, category, message, properties }: LogRecord): string {
  return JSON.stringify({
    time: new Date(timestamp).toISOString(),
    level,
    area: category.at(-1),
    message: message.join(""),
    ...plain(properties),
  });
}

function prettyLine({ timestamp, level, category, message, properties }: LogRecord): string {
  const { error, ...rest } = properties;
  const time = new Date(timestamp).toISOString().slice(11, 23);
  const fields = Object.entries(plain(rest)).map(([name, value]) => `${name}=${short(value)}`);
  const head = [time, level.toUpperCase().padEnd(7), `[${category.at(-1)}]`, message.join(""), ...fields];
  return terminalText(head.join(" ") + errorLines(error));
}

/** An error below its line; one that is only words, in it. */
function errorLines(error: unknown): string {
  if (error === undefined) return "";
  if (typeof error !== "object" || error === null) return ` error=${short(error)}`;
  const { name, message, stack } = error as Partial<Error>;
  return `\n${stack ?? [name, message].filter(Boolean).join(": ")}`;
}

/** Properties as JSON can hold them, without what is named like a secret. */
function plain(properties: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, value]) => {
    if (typeof value === "string" && secretName.test(name)) return [name, mask];
    if (value instanceof Error) return [name, errorFields(value)];
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function errorFields({ name, message, stack, cause }: Error): Record<string, unknown> {
  return { name, message, stack, cause: cause instanceof Error ? errorFields(cause) : cause };
}

function short(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whoever read the log may be gone, or its disk be full: neither may fail what had something to tell, least of all a stop. */
function toStdout(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    // There is no other place to say so.
  }
}

const WINDOW_MS = 60_000;
const MOST_KNOWN = 1_000;

type Seen = { at: number; leftOut: number };

/**
 * Says of each line about an error whether it is news: a disk that is full fails everything that ticks, many times a
 * second, and whoever looks for the cause finds it under a million lines, on that very disk.
 */
export class Repeats {
  readonly #seen = new Map<string, Seen>();

  /** The line, with how many of its like were left out before it; undefined for one that is left out now. */
  take(record: LogRecord): LogRecord | undefined {
    const { error } = record.properties;
    if (!(error instanceof Error)) return record;
    const name = nameOf(record, error);
    const seen = this.#seen.get(name);
    if (seen && record.timestamp - seen.at < WINDOW_MS) {
      seen.leftOut += 1;
      return undefined;
    }
    // What was last told longest ago is the first to be forgotten.
    this.#seen.delete(name);
    this.#seen.set(name, { at: record.timestamp, leftOut: 0 });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MOST_KNOWN && oldest !== undefined) this.#seen.delete(oldest);
    if (!seen?.leftOut) return record;
    return { ...record, properties: { ...record.properties, repeats: seen.leftOut } };
  }
}

/** The same error at the same place of the same area. */
function nameOf({ category, level, message }: LogRecord, { name, message: text, stack = "" }: Error): string {
  const place = /^\s+at .*$/m.exec(stack)?.[0] ?? "";
  return JSON.stringify([category, level, message.join(""), name, text, place]);
}
