import type { Run, Runs } from "@berth/agent";
import type { Caller } from "../http/call.ts";
import type { Connection } from "../http/operation.ts";
import { sse, waitJson } from "../http/sse.ts";

/** What a handler passes on so that a stream can watch its reader. */
export type Reader = { request: Request; server: Connection | null; caller: Caller | null };

/** A run as clients see it. */
export function runJson(run: Run): Record<string, unknown> {
  const { final_values_only: _, ...kwargs } = run.kwargs;
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: new Date(run.created_at).toISOString(),
    updated_at: new Date(run.updated_at).toISOString(),
    status: run.status,
    metadata: run.metadata,
    kwargs,
    multitask_strategy: run.multitask_strategy,
    langsmith_session_name: null,
  };
}

/** The path of a run; clients read its id from the end of `Content-Location`. */
export function runPath(run: Run): string {
  return run.on_completion === null ? `/threads/${run.thread_id}/runs/${run.run_id}` : `/runs/${run.run_id}`;
}

type Following = {
  runs: Runs;
  run: Run;
  /** The reader's leaving cancels the run. */
  cancelOnDisconnect: boolean;
};

function leave({ runs, run, cancelOnDisconnect }: Following) {
  return (end: "done" | "disconnected" | "failed") => {
    // The reader is gone, so nobody hears that the run was over already.
    if (cancelOnDisconnect && end === "disconnected") runs.cancel(run, "interrupt").catch(() => undefined);
  };
}

/** Streams a run from a position; `Location` lets clients come back to it. */
export function streamRun(
  reader: Reader,
  following: Following & { from: { seq: number; part: number }; modes?: string[] },
): Response {
  const { runs, run, from, modes } = following;
  const path = runPath(run);
  return sse(reader, (gone) => runs.stream(run, from, modes, gone), {
    headers: { "content-location": path, location: `${path}/stream` },
    onClose: leave(following),
  });
}

/** Waits for a run's result; headers go out at once, so that the client learns the run's id. */
export function waitForRun(reader: Reader, following: Following): Response {
  const { runs, run } = following;
  const gone = new AbortController();
  const left = leave(following);
  return waitJson(reader, runs.result(run, gone.signal), {
    headers: { "content-location": runPath(run), location: `${runPath(run)}/join` },
    onClose: (end) => {
      gone.abort();
      left(end);
    },
  });
}
