import type { StoredEvent } from "@berth/store";

/** How far a call is, as the protocol's notification has it. */
export type Progress = { progress: number; total?: number; message?: string };

type Tell = (progress: Progress) => Promise<void>;

/**
 * Tells how a run gets on. A graph that writes `{ progress, total?, message? }` to its custom stream speaks for
 * itself; of any other each finished node is one step.
 */
export async function tellProgress(frames: AsyncIterable<StoredEvent[]>, tell: Tell): Promise<void> {
  let last = -1;
  let steps = 0;
  let ownWords = false;
  for await (const events of frames) {
    for (const { name, json } of events) {
      const own = name === "custom" ? ownProgress(json) : undefined;
      ownWords ||= own !== undefined;
      const nodes = ownWords || name !== "updates" ? "" : finishedNodes(json);
      const next = own ?? (nodes === "" ? undefined : { progress: ++steps, message: nodes });
      // The protocol wants it to grow with every notification.
      if (next === undefined || next.progress <= last) continue;
      last = next.progress;
      await tell(next);
    }
  }
}

function ownProgress(json: string): Progress | undefined {
  const written: unknown = JSON.parse(json);
  if (typeof written !== "object" || written === null || !("progress" in written)) return undefined;
  const { progress } = written;
  if (typeof progress !== "number") return undefined;
  const total = "total" in written && typeof written.total === "number" ? { total: written.total } : {};
  const message =
    "message" in written && typeof written.message === "string" ? { message: written.message } : {};
  return { progress, ...total, ...message };
}

/** The nodes of an update; none where it only tells that the graph stopped to ask. */
function finishedNodes(json: string): string {
  const names = Object.keys(JSON.parse(json) as object);
  return names.filter((name) => name !== "__interrupt__").join(", ");
}
