import type { Run, Thread, TracesPage } from "@berth/server";
import { api } from "../../data/index.ts";
import { checkpointBefore } from "./checkpoints.ts";
import type { Place } from "./use-place.ts";

/** What of a run's configuration belongs to that run, and not to what it was asked to do. */
const OF_THE_RUN = new Set([
  ...["run_id", "thread_id", "graph_id", "assistant_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"],
  ...["user-agent"],
]);

type Asked = Pick<Run, "assistant_id" | "metadata" | "kwargs">;

/** Asks for the same as a run did. */
export function sameAgain({ assistant_id, metadata, kwargs }: Asked): Record<string, unknown> {
  const { input, command, context, interrupt_before, interrupt_after } = kwargs;
  const config = { ...(kwargs.config as object | undefined) };
  const configurable = Object.entries(
    "configurable" in config ? { ...(config.configurable as object) } : {},
  ).filter(([name]) => !OF_THE_RUN.has(name) && !name.startsWith("__") && !name.startsWith("langgraph_"));
  const { created_by: _, graph_id: __, assistant_id: ___, ...own } = metadata;
  const asked = { input, command, context, interrupt_before, interrupt_after };
  const said = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null);
  return {
    assistant_id,
    ...Object.fromEntries(said),
    config: { ...config, configurable: Object.fromEntries(configurable) },
    metadata: own,
  };
}

/**
 * Runs it again with the same input from where it began: on a branch of its thread, or, where it was the first, on
 * a new thread.
 */
export async function retryRun(place: Place): Promise<Run> {
  const { base, threadId, runId } = place;
  const run = await api<Run>(`${base}/threads/${threadId}/runs/${runId}`);
  const before = await checkpointBefore(place);
  const body = { ...sameAgain(run), ...(before !== undefined && { checkpoint_id: before }) };
  // An answer to a question makes sense on the thread that asked it, whatever is known of where it began.
  const on = before === undefined && !run.kwargs.command ? await newThread(base) : threadId;
  return api(`${base}/threads/${on}/runs`, { method: "POST", body });
}

async function newThread(base: string): Promise<string> {
  const { thread_id } = await api<Pick<Thread, "thread_id">>(`${base}/threads`, { method: "POST", body: {} });
  return thread_id;
}

/** A new thread with the history of another one, which goes on from one of its checkpoints. Answers its id. */
export async function forkThread({ base, threadId }: Place, checkpointId: string): Promise<string> {
  const copy = await api<Pick<Thread, "thread_id">>(`${base}/threads/${threadId}/copy`, { method: "POST" });
  const state = { checkpoint_id: checkpointId, values: null, as_node: "__copy__" };
  await api(`${base}/threads/${copy.thread_id}/state`, { method: "POST", body: state });
  return copy.thread_id;
}

const LOOK_MS = 400;
const MOST_LOOKS = 25;

/** Waits until a run has left something of its trace. Says whether it has. */
export async function traceArrived({
  run_id,
  thread_id,
}: Pick<Run, "run_id" | "thread_id">): Promise<boolean> {
  for (let i = 0; i < MOST_LOOKS; i++) {
    const { resources } = await api<TracesPage>(`/v1/traces?thread_id=${thread_id}&limit=20`);
    if (resources.some(({ id }) => id === run_id)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}
