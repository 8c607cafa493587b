import type { LogLevel } from "@berth/store";

/** A line of an instance's output. */
export type ReadLine = { at: number; level: LogLevel; message: string };

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
