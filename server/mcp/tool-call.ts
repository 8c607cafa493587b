import type { Run, RunRequest, Runs } from "@berth/agent";
import { type Assistant, Fault, type StoredEvent } from "@berth/store";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Guard } from "../authorization/index.ts";
import { failure, toolResult } from "./tool-result.ts";

type ToolCall = {
  assistant: Assistant;
  args: Record<string, unknown>;
  /** Request headers that graphs may read. */
  headers: Record<string, unknown>;
  /** What the caller may do; everything where there is none. */
  guard?: Guard | undefined;
  /** Aborts when the caller wants no result any more: the run is cancelled. */
  signal: AbortSignal;
  /** Tells the caller how far it is; absent when the caller did not ask. */
  tell?: ((progress: Progress) => Promise<void>) | undefined;
};

/** Only values are kept of a run that nobody watches; one that is watched tells its steps too. */
const WATCHED: Partial<RunRequest> = { stream_mode: ["values", "updates", "custom"] };

/** Runs an assistant on a thread of its own, and gives what came of it; what the caller did wrong is a result too. */
export async function callTool(runs: Runs, call: ToolCall): Promise<CallToolResult> {
  const { assistant, args, headers, guard, signal, tell } = call;
  const { assistant_id } = assistant;
  const request = { assistant_id, input: args, ...(tell ? WATCHED : {}) };
  try {
    const permit = await guard?.newRun({ assistantId: assistant_id, work: request });
    const run = await runs.create(
      { ...request, ...(permit?.work as Partial<RunRequest>), metadata: permit?.metadata },
      {
        threadId: undefined,
        runId: permit?.runId,
        headers,
        follow: tell ? "stream" : "wait",
      },
    );
    return await outcome(runs, run, { signal, tell });
  } catch (error) {
    if (error instanceof Fault) return failure(error.message);
    throw error;
  }
}

async function outcome(
  runs: Runs,
  run: Run,
  { signal, tell }: Pick<ToolCall, "signal" | "tell">,
): Promise<CallToolResult> {
  const cancel = () => void stop(runs, run);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    // A caller who cannot be told any more still waits for the end.
    const told = tell && tellProgress(runs.frames(run, 0, signal), tell).catch(() => undefined);
    const text = await runs.result(run, signal);
    await told;
    return toolResult(text);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** The run may not be in the database yet, where alone it can be cancelled; or it is over, which is as good. */
async function stop(runs: Runs, run: Run): Promise<void> {
  await runs
    .announce(run)
    .then(() => runs.cancel(run, "interrupt"))
    .catch(() => undefined);
}

/** How far a call is, as the protocol's notification has it. */
type Progress = { progress: number; total?: number; message?: string };

type Tell = (progress: Progress) => Promise<void>;

/**
 * Tells how a run gets on. A graph that writes `{ progress, total?, message? }` to its custom stream speaks for
 * itself; of any other each finished node is one step.
 */
async function tellProgress(frames: AsyncIterable<StoredEvent[]>, tell: Tell): Promise<void> {
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
