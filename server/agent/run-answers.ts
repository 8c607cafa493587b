import type { Run, Runs } from "@berth/agent";
import { type Caller, type Connection, jsonText, sse, waitJson } from "../http/index.ts";

/** What a handler passes on so that a stream can watch its reader. */
export type Reader = { request: Request; server: Connection | null; caller: Caller | null };

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

/** A run that is over this soon is answered in one piece, without opening a stream for it. */
const AT_ONCE_MS = 20;

/**
 * Waits for a run's result. Headers go out soon, whatever the run takes, so that the client learns its id.
 */
export async function waitForRun(reader: Reader, following: Following): Promise<Response> {
  const { runs, run } = following;
  const gone = new AbortController();
  const left = leave(following);
  const headers = { "content-location": runPath(run), location: `${runPath(run)}/join` };
  const result = runs.result(run, gone.signal);
  const early = await soon(result);
  if (early !== undefined) return jsonText(early, 200, headers);
  // The headers tell the run's id: from here on a crash must not lose it.
  await runs.announce(run);
  return waitJson(reader, result, {
    headers,
    onClose: (end) => {
      gone.abort();
      left(end);
    },
  });
}

function soon(result: Promise<string>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), AT_ONCE_MS);
    const done = (text: string | undefined) => {
      clearTimeout(timer);
      resolve(text);
    };
    // A failure is for the stream to show: it ends the connection so that the client comes back.
    result.then(done, () => done(undefined));
  });
}
