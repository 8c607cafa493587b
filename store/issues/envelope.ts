import type { JsonObject } from "../json-filter.ts";
import { plainText } from "../plain-text.ts";
import type { EventType } from "./event-types.ts";

/** Something that happened, for whoever subscribed to its type. */
export type SubscribedEvent = {
  type: EventType;
  workspaceId: string;
  /** Null: no tracing project in particular. */
  sessionId: string | null;
  /** Shared by all events of one deed. */
  requestId: string;
  /** Of the issue that it is about; an event without one goes to every threshold. */
  severity?: number | undefined;
  issueId?: string | undefined;
  data: { object: JsonObject; trace?: JsonObject | undefined; regression?: JsonObject | undefined };
};

/** Something for one address, without an envelope: what a run or a cron was given as its `webhook`. */
type DirectEvent = {
  type: "run.completed";
  workspaceId: string;
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  body: JsonObject;
};

export type OutgoingEvent = SubscribedEvent | DirectEvent;

const MOST_BYTES = 262_144;
const CUT = "… [cut]";

export function isDirect(event: OutgoingEvent): event is DirectEvent {
  return "url" in event;
}

/**
 * What is sent of an event, at most 256 KiB of UTF-8: above that the description is cut, with a mark where.
 * @param created when it was put into the outbox, in milliseconds
 */
export function envelopeText(id: string, event: SubscribedEvent, created: number): string {
  const { type, requestId, data } = event;
  const { object, trace, regression } = data;
  const of = { ...(trace && { trace: plain(trace) }), ...(regression && { regression: plain(regression) }) };
  const text = (shown: JsonObject) =>
    JSON.stringify({
      id,
      type,
      created: Math.floor(created / 1000),
      request_id: requestId,
      data: { object: shown, ...of },
    });
  return fitted(text, plain(object), ["description", "error_message", "name"]);
}

/** Names and messages come from strangers, and what an older version kept of them may hold anything. */
const plain = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, typeof value === "string" ? plainText(value) : value]),
  );

/** What is sent of a direct event; above 256 KiB without its values, and without its arguments if that is not enough. */
export function directText({ body }: DirectEvent): string {
  return fitted((shown) => JSON.stringify(shown), body, ["values", "kwargs", "metadata", "error"]);
}

function fitted(text: (object: JsonObject) => string, object: JsonObject, expendable: string[]): string {
  let shown = object;
  for (const key of expendable) {
    const whole = text(shown);
    const excess = Buffer.byteLength(whole) - MOST_BYTES;
    if (excess <= 0) return whole;
    if (key in shown) shown = { ...shown, [key]: shortened(shown[key], excess) };
  }
  const last = text(shown);
  if (Buffer.byteLength(last) <= MOST_BYTES) return last;
  throw new Error("an event has more than 256 KiB beside what may be left out");
}

/** A text that is at least so many bytes shorter in JSON, whatever it consists of; anything else goes as a whole. */
function shortened(value: unknown, excess: number): unknown {
  if (typeof value !== "string") return { __cut__: Buffer.byteLength(JSON.stringify(value) ?? "") };
  const room = Buffer.byteLength(JSON.stringify(value)) - excess - Buffer.byteLength(CUT);
  let length = Math.min(value.length, Math.max(0, room));
  while (length > 0 && Buffer.byteLength(JSON.stringify(value.slice(0, length))) > room) {
    length = Math.floor(length * 0.9);
  }
  return `${value.slice(0, length).toWellFormed()}${CUT}`;
}
