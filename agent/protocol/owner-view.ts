import type { ThreadEvent } from "./event.ts";

/** An event as one kind of reader gets it; undefined where that reader is not to see it. */
export type EventView = (event: ThreadEvent) => ThreadEvent | undefined;

/** Readers share events, and what is made of them. */
const moved = new WeakMap<ThreadEvent, ThreadEvent>();

/**
 * The view of the Python client, whose graphs tell tokens and tools in the namespace of the graph that owns the node
 * (`langgraph/pregel/_messages.py`), not in the node's own: it looks for them there only. It finds subgraphs by their
 * tasks, and takes any `completed` for the end of the run (0.4.5, `AsyncThreadStream._apply_lifecycle_event`), so of
 * `lifecycle` it gets the run's own.
 */
export const ownerView: EventView = (event) => {
  const { method, namespace } = event;
  if (namespace.length === 0) return event;
  if (method === "lifecycle") return undefined;
  if (method !== "messages" && method !== "tools") return event;
  const known = moved.get(event);
  if (known) return known;
  const owner = namespace.slice(0, -1);
  const json = event.json.replace(said(namespace), () => said(owner));
  const shown = { ...event, namespace: owner, json };
  moved.set(event, shown);
  return shown;
};

/** It comes before anything that a graph could have said. */
const said = (namespace: readonly string[]) => `"namespace":${JSON.stringify(namespace)}`;
