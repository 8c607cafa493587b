import { api } from "../../data/index.ts";
import { spansAbove } from "./span-rows.ts";
import type { Span } from "./trace.ts";
import type { Place } from "./use-place.ts";

/** What is asked of a thread's state here. */
export type Checkpoint = { checkpoint_id: string };
type State = { checkpoint: Checkpoint; parent_checkpoint: Checkpoint | null };

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

/**
 * The checkpoint that a step began from, or the one that the run ended with; undefined when it is not kept any more.
 */
export async function checkpointAt(place: Place, step: number | undefined): Promise<string | undefined> {
  const metadata = { run_id: place.runId, ...(step !== undefined && { step: step - 1 }) };
  const [state] = await historyOf(place, { limit: 1, metadata });
  return state?.checkpoint.checkpoint_id;
}

/** What the run began from; undefined where it was the first of its thread. */
export async function checkpointBefore(place: Place): Promise<string | undefined> {
  const { runId: run_id } = place;
  const [input] = await historyOf(place, { limit: 1, metadata: { run_id, source: "input" } });
  // A run that goes on from an interrupt has no input of its own.
  const first = input ?? (await historyOf(place, { limit: MOST_STEPS, metadata: { run_id } })).at(-1);
  return first?.parent_checkpoint?.checkpoint_id;
}

function historyOf({ base, threadId }: Place, body: object): Promise<State[]> {
  return api(`${base}/threads/${threadId}/history`, { method: "POST", body });
}
