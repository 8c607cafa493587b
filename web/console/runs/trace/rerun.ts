import type { Run, Session, Span, Thread, ThreadState, Trace, TracesPage } from "@berth/server";
import { useMemo } from "react";
import { api, useResource, useSettled } from "../../data/index.ts";
import { spansAbove } from "./span-rows.ts";

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
export async function retryRun(place: SpanPlace): Promise<Run> {
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
export async function forkThread(
  { base, threadId }: Pick<SpanPlace, "base" | "threadId">,
  checkpointId: string,
): Promise<string> {
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
export function useCheckpoint(place: SpanPlace, spans: readonly Span[], span: Span): string | undefined {
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
async function checkpointBefore(place: SpanPlace): Promise<string | undefined> {
  const { runId: run_id } = place;
  const [input] = await historyOf(place, { limit: 1, metadata: { run_id, source: "input" } });
  // A run that goes on from an interrupt has no input of its own.
  const first = input ?? (await historyOf(place, { limit: MOST_STEPS, metadata: { run_id } })).at(-1);
  return first?.parent_checkpoint?.checkpoint_id;
}

const historyOf = (place: SpanPlace, body: object): Promise<ThreadState[]> =>
  api(historyPath(place), { method: "POST", body });

const historyPath = ({ base, threadId }: SpanPlace): string => `${base}/threads/${threadId}/history`;

/** Where the thread of a trace can be asked about: in front of the Agent Server's paths. */
export type SpanPlace = { base: string; threadId: string; runId: string };

type Found = { session: Session | undefined; place: SpanPlace | undefined; threadGone: boolean };

/** The tracing project of a trace, and where its thread is, if it is of ours and still there. */
export function usePlace(trace: Trace | undefined): Found {
  const { data: session } = useResource<Session>(trace ? `/v1/sessions/${trace.session_id}` : null);
  const base = session && baseOf(session);
  const threadId = trace?.thread_id ?? null;
  const isOurs = base !== undefined && threadId !== null;
  // A search, since asking for one that is gone is told as an error by the browser.
  const { data: threads } = useResource<unknown[]>(isOurs ? `${base}/threads/search` : null, {
    body: { ids: [threadId], limit: 1, select: ["thread_id"] },
    exact: true,
  });
  const isThere = isOurs && (threads?.length ?? 0) > 0;
  const runId = trace?.id;
  const place = useMemo(
    () => (isThere && runId !== undefined ? { base, threadId, runId } : undefined),
    [isThere, base, threadId, runId],
  );
  return { session, place, threadGone: isOurs && threads?.length === 0 };
}

/** In front of the Agent Server's paths of a tracing project; undefined for programs elsewhere. */
export function baseOf({ deployment_id, served }: Session): string | undefined {
  if (deployment_id !== null) return `/d/${deployment_id}`;
  return served ? "" : undefined;
}
