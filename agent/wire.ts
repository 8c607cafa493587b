/**
 * Turns what graphs emit into the JSON that LangGraph clients read (`agent-server.md` §1.4): messages flat,
 * with their `type`; errors as `{error, message}`.
 */

import { copyOf, isStill, type ValueCopy } from "./value-copy.ts";

type Typed = { type?: string; getType?(): string; _getType?(): string };

type MessageLike = Typed & {
  toDict(): unknown;
  lc_kwargs: Record<string, unknown>;
};

/** By shape, not by class: a project brings its own copy of LangChain. */
export function isMessage(value: unknown): value is MessageLike {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as MessageLike).toDict === "function" &&
    typeof (value as MessageLike).lc_kwargs === "object"
  );
}

const snakeKeys = new Map<string, string>();

function snake(key: string): string {
  const known = snakeKeys.get(key);
  if (known) return known;
  const made = key
    .replace(/([A-Z]+)([A-Z][a-z0-9]+)/g, "$1_$2")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[-_\s]+/g, "_")
    .toLowerCase();
  if (snakeKeys.size < 1_000) snakeKeys.set(key, made);
  return made;
}

/** A message as clients want it: the fields it was made of in snake case, and its type. */
function flattenMessage(message: MessageLike): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const key of Object.keys(message.lc_kwargs)) flat[snake(key)] = fieldOf(message, key);
  flat.type = messageType(message);
  return flat;
}

/** Returns the type of a message. Versions of `@langchain/core` before 0.3.7 have `_getType` only. */
export function messageType(message: Typed): string | undefined {
  return message.type ?? message.getType?.() ?? message._getType?.();
}

function fieldOf(message: MessageLike, key: string): unknown {
  return key in message ? (message as unknown as Record<string, unknown>)[key] : message.lc_kwargs[key];
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key];
  if (isMessage(raw)) return flattenMessage(raw);
  if (raw instanceof Error) return { error: raw.name, message: raw.message };
  if (typeof value === "bigint") return value.toString();
  if (raw instanceof Map || raw instanceof Set) return [...raw];
  return value;
}

function encodeAny(value: unknown): string {
  if (isMessage(value)) return encodeMessage(value);
  try {
    return JSON.stringify(value, replacer) ?? "null";
  } catch {
    return JSON.stringify(withoutCycles(value, new Set()), replacer) ?? "null";
  }
}

/** How a message inside a message looks when nothing flattens it. */
const NESTED = '"lc":1,"type":"constructor"';

/** First without the replacer, which costs more than the encoding itself: few messages hold more than JSON. */
function encodeMessage(message: MessageLike): string {
  const flat = flattenMessage(message);
  try {
    if (flat.artifact === undefined) {
      const text = JSON.stringify(flat);
      if (!text.includes(NESTED)) return text;
    }
    return JSON.stringify(flat, replacer);
  } catch {
    return JSON.stringify(withoutCycles(flat, new Set()), replacer);
  }
}

/** Texts of the metadata that every token of a message carries again. */
const metadataTexts = new WeakMap<object, string>();

/**
 * JSON of what the `messages` mode emits, a token or a message with its metadata; `tail` is the length of the
 * part that the message's other tokens end in too.
 */
export function encodeToken(payload: unknown): { json: string; tail?: number } {
  if (!Array.isArray(payload) || payload.length !== 2 || !isPlainObject(payload[1])) {
    return { json: encode(payload) };
  }
  const [chunk, metadata] = payload;
  const known = metadataTexts.get(metadata);
  const text = known ?? encodeAny(metadata);
  if (!known) metadataTexts.set(metadata, text);
  return { json: `[${encodeAny(chunk)},${text}]`, tail: text.length + 1 };
}

function withoutCycles(value: unknown, above: Set<unknown>): unknown {
  if (typeof value !== "object" || value === null || isMessage(value)) return value;
  if (above.has(value)) return "[Circular]";
  above.add(value);
  const copy = Array.isArray(value)
    ? value.map((element) => withoutCycles(element, above))
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutCycles(inner, above)]));
  above.delete(value);
  return copy;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON of anything a graph may emit; never throws for cycles or big integers, `undefined` becomes `null`. */
export function encode(value: unknown): string {
  if (Array.isArray(value) && value.some(isMessage)) return `[${value.map(encodeAny).join(",")}]`;
  return encodeAny(value);
}

/**
 * JSON of a whole state: an object whose lists of messages mostly stay as they were.
 * Same bytes as {@link encode}, but a message met before costs nothing.
 */
export function encodeState(state: unknown): string {
  return encodeTexts(stateTexts(state));
}

/** A state from its texts. */
export function encodeTexts(texts: StateTexts): string {
  if (typeof texts === "string") return texts;
  const parts: string[] = [];
  for (const [key, text] of texts) {
    parts.push(`${JSON.stringify(key)}:${Array.isArray(text) ? `[${text.join(",")}]` : text}`);
  }
  return `{${parts.join(",")}}`;
}

/** The JSON of a state by its keys, and of its lists of messages by element; of no object, the JSON of it. */
export type StateTexts = string | Map<string, string | string[]>;

export function stateTexts(state: unknown): StateTexts {
  if (!isPlainObject(state)) return encode(state);
  const texts = new Map<string, string | string[]>();
  for (const [key, value] of Object.entries(state)) {
    if (value === undefined || typeof value === "function") continue;
    const isMessages = Array.isArray(value) && isMessage(value[0]);
    texts.set(key, isMessages ? value.map(encodeElement) : encodeAny(value));
  }
  return texts;
}

/** Messages in lists: a thread's old ones are encoded once, not at every step. */
const encodedMessages = new WeakMap<object, { copy: ValueCopy; text: string }>();

function encodeElement(element: unknown): string {
  if (!isMessage(element)) return encodeAny(element);
  const keys = Object.keys(element.lc_kwargs);
  const valueAt = (key: string) => fieldOf(element, key);
  const known = encodedMessages.get(element);
  // A node may have changed it in place.
  if (known && isStill(known.copy, keys, valueAt)) return known.text;
  const text = encodeMessage(element);
  const copy = copyOf(keys, valueAt);
  if (copy) encodedMessages.set(element, { copy, text });
  return text;
}

/** The wire form of a failure: its class and its message, nothing of its stack. */
export function encodeError(error: unknown): { error: string; message: string } {
  if (error instanceof Error || (typeof error === "object" && error !== null && "message" in error)) {
    const { name, message } = error as Error;
    return { error: name || "Error", message: String(message) };
  }
  return { error: "Error", message: typeof error === "string" ? error : encode(error) };
}
