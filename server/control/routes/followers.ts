import { Denied, Invalid, Unauthenticated } from "@berth/store";

/** Whether whoever follows a stream may still ask: a key may be deleted, a sign-in over. */
export async function isAdmitted(admit: (() => unknown) | undefined): Promise<boolean> {
  try {
    await admit?.();
    return true;
  } catch (error) {
    if (error instanceof Unauthenticated || error instanceof Denied) return false;
    throw error;
  }
}

/** What {@link lastSeen} reads, for the API document. */
export const LAST_SEEN = { "Last-Event-ID": "The id of the last event that was seen; before `since`." };

/** What a reader had seen when its connection broke. */
export function lastSeen({ headers }: Request): number | undefined {
  const text = headers.get("last-event-id");
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const msg = "Input should be a valid integer, unable to parse string as an integer";
  throw new Invalid([{ loc: ["header", "last-event-id"], msg, type: "int_parsing", input: text }]);
}
