import { type Follow, Invalid, type Tail } from "@berth/store";
import { isAdmitted } from "../../http/index.ts";

/** A frame of a stream, and the number of what it tells of. */
export type NumberedFrame = { seq: number; text: string };

/** What a stream of frames begins behind, and for how long it goes on. */
export type Following = { since: number; abort: AbortSignal; admit: (() => unknown) | undefined };

/** The frames that `read` finds behind a number, then those that come, as long as the caller may still ask. */
export async function* framesOf(
  tail: Tail<NumberedFrame>,
  { since, abort, admit }: Following,
  read: Follow<NumberedFrame>["read"],
): AsyncGenerator<string> {
  // The caller who may not ask any more learns nothing more: a key is deleted, a sign-in over.
  const admitted = async (after: number) => ((await isAdmitted(admit)) ? read(after) : undefined);
  for await (const { items } of tail.follow(since, { read: admitted, abort })) {
    const text = items.map((item) => item.text).join("");
    if (text !== "") yield text;
  }
}

/** What {@link lastSeen} reads, for the API document. */
export const LAST_SEEN = {
  "Last-Event-ID": "The id of the last event that the client got; it beats `since`.",
};

/** What a reader had seen when its connection broke. */
export function lastSeen({ headers }: Request): number | undefined {
  const text = headers.get("last-event-id");
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const msg = "Input should be a valid integer, unable to parse string as an integer";
  throw new Invalid([{ loc: ["header", "last-event-id"], msg, type: "int_parsing", input: text }]);
}
