import { newUlid } from "@berth/store";
import type { EventFilter } from "../protocol/index.ts";
import { isRecord } from "../record.ts";
import { Params } from "./params.ts";
import { ProtocolError } from "./reply.ts";

/** What a reader wants of a thread, and from where on; without `since` all that is kept. */
export type EventSubscription = { filter: EventFilter; since?: number };

const MOST_PREFIXES = 1_000;

/**
 * Reads what a reader asks for, in the body of a stream or in a command.
 * @throws ProtocolError
 */
export function readSubscription(params: Params): EventSubscription {
  const channels = params.texts("channels");
  if (!channels || channels.length === 0) throw params.wrong("channels", "a list of at least one channel");
  const namespaces = params.list("namespaces");
  if (namespaces && namespaces.length > MOST_PREFIXES) {
    throw params.wrong("namespaces", `a list of at most ${MOST_PREFIXES}`);
  }
  const depth = params.count("depth", { least: 0 });
  const since = params.count("since", { least: 0 });
  const filter: EventFilter = {
    channels: new Set(channels),
    ...(namespaces && { namespaces: namespaces.map((namespace) => readNamespace(params, namespace)) }),
    ...(depth !== undefined && { depth }),
  };
  return since === undefined ? { filter } : { filter, since };
}

function readNamespace(params: Params, namespace: unknown): string[] {
  if (Array.isArray(namespace) && namespace.every((part): part is string => typeof part === "string")) {
    return namespace;
  }
  throw params.wrong("namespaces", "a list of lists of texts");
}

/**
 * The number of an event by its id: the last group of digits of `synth:<run>:<event>:<seq>` and of `<run>-<seq>`,
 * or a bare number. Undefined for what is no id of ours.
 */
export function seqOfEventId(id: string): number | undefined {
  const digits = /^(?:synth:[^:]+:[^:]+:|[0-9a-f]{12}-)?(\d{1,16})$/.exec(id)?.[1];
  const seq = digits === undefined ? undefined : Number(digits);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/** The later of two positions: whoever has seen the one has seen what is before it. */
export function later(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : Math.max(one, other);
}

/** Whether a frame, whatever JSON it holds, opens a subscription. */
export function isSubscribe(frame: unknown): frame is Record<string, unknown> {
  return isRecord(frame) && frame.method === "subscription.subscribe";
}

/** Whether a frame opens one that only tells how runs begin and end, and what they ask. */
export function isWatch(frame: unknown): boolean {
  if (!isSubscribe(frame) || !isRecord(frame.params)) return false;
  const { channels } = frame.params;
  return Array.isArray(channels) && channels.every((one) => one === "lifecycle" || one === "input");
}

export type Channel = "http" | "socket";

/**
 * The id of a subscription says what was subscribed to, so that whoever lost its connection, or its server, can
 * have it again by the id alone.
 */
export function subscriptionId(over: Channel, { channels, namespaces, depth }: EventFilter): string {
  const said = JSON.stringify({ channels: [...channels], namespaces, depth });
  return `${over}.${Buffer.from(said).toString("base64url")}.${newUlid()}`;
}

/** @throws ProtocolError when the id is none that {@link subscriptionId} made for such a connection */
export function filterOfSubscription(over: Channel, id: string): EventFilter {
  const said = id.startsWith(`${over}.`) ? id.split(".")[1] : undefined;
  try {
    if (said)
      return readSubscription(new Params(JSON.parse(Buffer.from(said, "base64url").toString()))).filter;
  } catch {
    // Somebody else's text.
  }
  throw noSuchSubscription(id);
}

export const noSuchSubscription = (id: string) =>
  new ProtocolError("no_such_subscription", `No subscription ${id.slice(0, 200)} here`);
