/** An event of the streaming protocol, as far as the transport looks into it, and its JSON as it came. */
export type WireEvent = {
  seq: number;
  eventId: string;
  method: string;
  namespace: readonly string[];
  data: Readonly<Record<string, unknown>>;
  json: string;
};

/** What a subscription wants: the body of `POST …/stream`. */
export type WireFilter = {
  channels: readonly string[];
  namespaces?: readonly (readonly string[])[];
  depth?: number;
};

/** A frame from the socket: an event, or the answer to a command of ours. */
export type WireFrame =
  | { kind: "event"; event: WireEvent }
  | { kind: "reply"; id: number; error?: string; result: Readonly<Record<string, unknown>> };

/** Reads one frame. What is no frame of the protocol is `undefined`, and left alone. */
export function readFrame(json: string): WireFrame | undefined {
  const frame = record(parsed(json));
  if (frame.type === "event") {
    const params = record(frame.params);
    if (typeof frame.seq !== "number" || typeof frame.method !== "string") return;
    const event = {
      seq: frame.seq,
      eventId: String(frame.event_id),
      method: frame.method,
      namespace: Array.isArray(params.namespace) ? params.namespace.map(String) : [],
      data: record(params.data),
      json,
    };
    return { kind: "event", event };
  }
  if (typeof frame.id !== "number") return;
  const error = frame.type === "error" ? String(frame.message ?? frame.error) : undefined;
  return { kind: "reply", id: frame.id, result: record(frame.result), ...(error ? { error } : {}) };
}

/** Whether a filter lets an event through; the same rule as the server's. */
export function matches({ channels, namespaces, depth }: WireFilter, event: WireEvent): boolean {
  const channel = event.method.startsWith("input.") ? "input" : event.method;
  const named = channel === "custom" && channels.includes(`custom:${String(event.data.name)}`);
  if (!named && !channels.includes(channel)) return false;
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some((prefix) => isBelow(event.namespace, prefix, depth));
}

/** Whether a namespace is a prefix or lies at most `depth` below it. A bare node name means each of its tasks. */
export function isBelow(namespace: readonly string[], prefix: readonly string[], depth = Infinity): boolean {
  if (prefix.length > namespace.length || namespace.length - prefix.length > depth) return false;
  return prefix.every((wanted, index) => {
    const segment = namespace[index] ?? "";
    return wanted === segment || (!wanted.includes(":") && segment.split(":", 1)[0] === wanted);
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An object's fields; nothing else has any. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
