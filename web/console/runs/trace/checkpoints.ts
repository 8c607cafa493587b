import type { Span, ThreadState } from "@berth/server";
import { api, useResource, useSettled } from "../../data/index.ts";
import { spansAbove } from "./span-rows.ts";
import type { Place } from "./use-place.ts";

/** The most checkpoints of one run that are looked through for its first. */
const MOST_STEPS = 200;

/**
 * The superstep of the thread's own graph that a span belongs to; undefined for the run as a whole. Nodes of graphs
 * within it have a namespace of several parts.
 */
export function stepOf(spans: readonly Span[], span: Span): number | undefined {
  for (const { metadata } of [span, ...spansAbove(spans, span)]) {
    const { langgraph_step: step, langgraph_checkpoint_ns: namespace } = metadata;
    if (typeof step === "number" && typeof namespace === "string" && !namespace.includes("|")) return step;
  }
  return undefined;
}

/** Who walks through the tree by the arrows does not mean every line on the way. */
const SETTLED_MS = 150;

/** The checkpoint that a span began from, or the one that its run ended with; undefined until it is known. */
export function useCheckpoint(place: Place, spans: readonly Span[], span: Span): string | undefined {
  const step = stepOf(spans, span);
  const asked = JSON.stringify([step ?? null, span.end_time === null]);
  const settled = useSettled(asked, SETTLED_MS);
  const [settledStep, isUnderWay]: [number | null, boolean] = JSON.parse(settled);
  const metadata = { run_id: place.runId, ...(settledStep !== null && { step: settledStep - 1 }) };
  // Where it cannot be found, or is not kept any more, there is nothing to offer.
  const { data } = useResource<ThreadState[]>(historyPath(place), {
    body: { limit: 1, metadata },
    exact: true,
    ...(isUnderWay && { live: ["traces"] }),
  });
  return settled === asked ? data?.[0]?.checkpoint.checkpoint_id : undefined;
}

/** What the run began from; undefined where it was the first of its thread. */
export async function checkpointBefore(place: Place): Promise<string | undefined> {
  const { runId: run_id } = place;
  const [input] = await historyOf(place, { limit: 1, metadata: { run_id, source: "input" } });
  // A run that goes on from an interrupt has no input of its own.
  const first = input ?? (await historyOf(place, { limit: MOST_STEPS, metadata: { run_id } })).at(-1);
  return first?.parent_checkpoint?.checkpoint_id;
}

const historyOf = (place: Place, body: object): Promise<ThreadState[]> =>
  api(historyPath(place), { method: "POST", body });

const historyPath = ({ base, threadId }: Place): string => `${base}/threads/${threadId}/history`;
