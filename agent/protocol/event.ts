/** A protocol event as readers get it (`streaming-protocol.md` §3.1): rendered once, shared by all of them. */
export type ThreadEvent = Readonly<{
  seq: number;
  event_id: string;
  method: string;
  namespace: readonly string[];
  /** The run it came from. */
  run_id: string;
  /** The `name` of a named custom event. */
  name?: string;
  /** The whole event as one line of JSON. */
  json: string;
}>;

/** What a reader wants to see: some channels, below some namespaces. */
export type EventFilter = {
  channels: ReadonlySet<string>;
  /** Prefixes of namespaces; none or an empty list: all of them. */
  namespaces?: readonly (readonly string[])[];
  /** How far below a prefix an event may lie; only counts where there are prefixes. */
  depth?: number;
};

/** All of them: `custom` has the named ones too. */
export const CHANNELS: ReadonlySet<string> = new Set([
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
]);

/** The channel that an event of a method belongs to. */
export function channelOf(method: string): string {
  return method.startsWith("input.") ? "input" : method;
}

/** Whether a reader with this filter gets the event (`streaming-protocol.md` §3.2, §4.1). */
export function matches(filter: EventFilter, event: ThreadEvent): boolean {
  const { channels, namespaces, depth } = filter;
  const named = event.name !== undefined && channels.has(`custom:${event.name}`);
  if (!named && !channels.has(channelOf(event.method))) return false;
  if (!namespaces || namespaces.length === 0) return true;
  return namespaces.some((prefix) => isBelow(event.namespace, prefix, depth));
}

function isBelow(namespace: readonly string[], prefix: readonly string[], depth: number | undefined) {
  if (prefix.length > namespace.length) return false;
  if (depth !== undefined && namespace.length - prefix.length > depth) return false;
  return prefix.every((segment, index) => isSegment(segment, namespace[index] ?? ""));
}

/** A bare node name stands for every task of the node. */
function isSegment(wanted: string, segment: string): boolean {
  return wanted === segment || (!wanted.includes(":") && segment.split(":", 1)[0] === wanted);
}
