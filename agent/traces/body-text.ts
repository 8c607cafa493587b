import { isMessage, messageType } from "../wire.ts";

/** As much of inputs or outputs as the store keeps (32 KiB), without what it puts around a cut text. */
const ROOM = 32_000;
/** Left for each of an object's later keys, so that a long one hides none. */
const ROOM_PER_KEY = 64;
const DEEPEST = 12;
/** Less is not worth beginning with. */
const LEAST = 24;

/** How much more room than twice its length there has to be for the text of a message: then nothing of it was cut. */
const SPARE = 4_096;

/**
 * JSON of what a span took in or gave, in at most 32 KiB: long texts keep their beginning, long lists of messages
 * their end. The work is bounded too: a state may be a hundred times as large, and every node takes it in.
 */
export const bodyText = (value: unknown): string => new BodyTexts().of(value);

/**
 * The texts of several spans, made while nothing of them can change: a message that many of them hold, as those of an
 * agent with tools do, is written once.
 */
export class BodyTexts {
  readonly #messages = new Map<object, string>();

  /** See {@link bodyText}. */
  of(value: unknown): string {
    const text = this.#write(value, ROOM, 0);
    // No character of UTF-16 is more than three bytes of UTF-8.
    if (text.length * 3 <= ROOM) return text;
    const bytes = Buffer.byteLength(text);
    return bytes <= ROOM ? text : this.#write(value, Math.floor(ROOM * (text.length / bytes) * 0.8), 0);
  }

  #write(value: unknown, room: number, depth: number): string {
    if (typeof value === "string") return writeText(value, room);
    if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
    if (typeof value === "bigint") return `"${value}"`;
    if (typeof value !== "object" || value === null) return "null";
    if (depth > DEEPEST) return '"…"';
    if (Array.isArray(value)) return this.#writeList(value, room, depth + 1);
    if (isMessage(value)) return this.#writeMessage(value, room, depth + 1);
    return this.#writeFields(plain(value), room, depth + 1);
  }

  #writeMessage(message: object, room: number, depth: number): string {
    const known = this.#messages.get(message);
    if (known !== undefined && hasSpare(known, room)) return known;
    const text = this.#writeFields(messageFields(message as Record<string, unknown>), room, depth);
    if (hasSpare(text, room)) this.#messages.set(message, text);
    return text;
  }

  /** A list; of one that is too long, its beginning, and of messages its end, which says what the call was about. */
  #writeList(list: unknown[], room: number, depth: number): string {
    const fromEnd = isMessage(list.at(-1));
    const parts: string[] = [];
    let left = room - LEAST * 2;
    while (parts.length < list.length && left > LEAST) {
      const item = list[fromEnd ? list.length - 1 - parts.length : parts.length];
      const text = this.#write(item, left, depth);
      // One that would be cut stays out, unless nothing else is there.
      if (text.length + 1 > left && parts.length > 0) break;
      parts.push(text);
      left -= text.length + 1;
    }
    if (parts.length < list.length) parts.push(`"… ${list.length - parts.length} more"`);
    if (fromEnd) parts.reverse();
    return `[${parts.join(",")}]`;
  }

  #writeFields(fields: Record<string, unknown>, room: number, depth: number): string {
    const keys = Object.keys(fields);
    let later = 0;
    for (const key of keys) if (isShown(fields[key])) later += 1;
    let text = "{";
    let left = room - LEAST * 2;
    for (const key of keys) {
      const value = fields[key];
      if (!isShown(value)) continue;
      later -= 1;
      const name = `${text === "{" ? "" : ","}${JSON.stringify(key)}:`;
      if (left < name.length + LEAST * 2) return `${text}${text === "{" ? "" : ","}"…":"${later + 1} more"}`;
      const share = Math.max(LEAST, left - name.length - Math.min(later, 40) * ROOM_PER_KEY);
      const written = name + this.#write(value, share, depth);
      text += written;
      left -= written.length;
    }
    return `${text}}`;
  }
}

const hasSpare = (text: string, room: number) => text.length * 2 + SPARE <= room;

function writeText(text: string, room: number): string {
  if (text.length + 2 <= room) {
    const whole = JSON.stringify(text);
    if (whole.length <= room) return whole;
  }
  const kept = Math.max(0, room - LEAST * 2);
  let head = text.slice(0, kept);
  // Signs that JSON spells out take up to six characters.
  while (head.length > 0 && JSON.stringify(head).length > kept) head = head.slice(0, head.length / 2);
  return JSON.stringify(`${head.toWellFormed()}… (${text.length - head.length} more)`);
}

function isShown(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

const MESSAGE_FIELDS = [
  ...["type", "id", "name", "content", "tool_calls", "invalid_tool_calls", "tool_call_id", "status"],
  ...["usage_metadata", "response_metadata", "additional_kwargs"],
];

/** What a message says, without the many fields that most of them leave empty. */
function messageFields(message: Record<string, unknown>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of MESSAGE_FIELDS) {
    const value = message[key];
    if (value !== undefined && value !== null && !isEmpty(value)) fields[key] = value;
  }
  fields.type ??= messageType(message);
  fields.content ??= message.content;
  return fields;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  for (const _ in value) return false;
  return true;
}

/** What there is to show of an object. */
function plain(value: object): Record<string, unknown> {
  if (value instanceof Error) return { error: value.name, message: value.message };
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [keyText(key), each]));
  if (value instanceof Set) return { ...[...value] };
  if (ArrayBuffer.isView(value)) return { bytes: value.byteLength };
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const json: unknown = value.toJSON();
    return typeof json === "object" && json !== null && json !== value
      ? (json as Record<string, unknown>)
      : { value: json };
  }
  return value as Record<string, unknown>;
}

/** A key of a map may be anything, also what has no text of its own. */
function keyText(key: unknown): string {
  try {
    return String(key);
  } catch {
    return Object.prototype.toString.call(key);
  }
}
