import type { JsonObject } from "../json-filter.ts";

/** Of one trace; its root is among them, whenever it comes. */
export const MOST_SPANS = 1_000;
/** Inputs and outputs of all spans of one trace. */
export const MOST_BODY_BYTES = 1_048_576;
/** Kept free for the root span, whose end comes last and says most. */
export const ROOT_BODY_BYTES = 65_536;
/** Inputs or outputs of one span. */
const LONGEST_BODY = 32_768;
const LONGEST_METADATA = 16_384;
const MOST_TAGS = 50;
const LONGEST_TAG = 200;
/** What else a body that is cut has around its text, with room to spare. */
const CUT_FRAME = 64;

/** How many bytes of UTF-8 a text is. */
export function bytesOf(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

/** JSON text as it is kept: above 32 KiB it becomes `{"__cut__": <bytes>, "text": "<its beginning>"}`. */
export function cutBody(text: string): string {
  // No character of UTF-16 is more than three bytes of UTF-8.
  if (text.length * 3 <= LONGEST_BODY) return text;
  const bytes = bytesOf(text);
  if (bytes <= LONGEST_BODY) return text;
  for (let length = LONGEST_BODY; ; length = Math.floor(length * 0.8)) {
    const head = JSON.stringify(text.slice(0, length));
    if (bytesOf(head) <= LONGEST_BODY - CUT_FRAME) return `{"__cut__":${bytes},"text":${head}}`;
  }
}

/** Text of at most so many characters, without what a database does not keep. */
export function cutText(text: string, length: number): string {
  const short = text.length > length ? `${text.slice(0, length - 1)}…` : text;
  return short.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** The JSON of metadata; instead of more than 16 KiB, only how much it was. */
export function metadataText(metadata: JsonObject): string {
  const text = JSON.stringify(metadata);
  if (text.length * 3 <= LONGEST_METADATA) return text;
  const bytes = bytesOf(text);
  return bytes <= LONGEST_METADATA ? text : `{"__cut__":${bytes}}`;
}

/** The JSON of at most fifty tags. */
export function tagsText(tags: readonly string[]): string {
  return JSON.stringify(tags.slice(0, MOST_TAGS).map((tag) => cutText(tag, LONGEST_TAG)));
}
