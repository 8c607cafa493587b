import type { Run, RunPlace, RunRequest, Runs } from "@berth/agent";
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { type Permit, runRules } from "../authorization/index.ts";
import {
  type Caller,
  type Connection,
  empty,
  json,
  jsonList,
  jsonText,
  limitField,
  type Operation,
  offsetField,
  oneOf,
  operation,
  selected,
  sse,
  Uuid,
  waitJson,
} from "../http/index.ts";
import { requestConfigurable } from "./configurable-headers.ts";
import { StatelessRunBody, StreamModes, ThreadRunBody } from "./run-schemas.ts";
import { runFieldNames, runStatuses, ShownRun, shownRun } from "./wire/index.ts";

type RunRouteDeps = {
  runs: Runs;
  /** @throws NotFound */
  requireThread: (threadId: string) => Promise<unknown>;
};

const thread = Type.Object({ thread_id: Uuid });
const threadRun = Type.Object({ thread_id: Uuid, run_id: Uuid });
const START = { seq: 0, part: 0 };

const created = { description: "The run", schema: ShownRun };
const streamed = { description: "Server-sent events until the run ends", mediaType: "text/event-stream" };
const waited = { description: "The last values, or `__error__`", schema: Type.Unknown() };
const refused = {
  404: "No such assistant, graph or thread",
  409: "The thread is busy and the strategy is `reject`",
};

type RunBody = RunRequest & { on_disconnect?: "cancel" | "continue" | null };
type Arrival = Reader & { body: RunBody; path: { thread_id?: string }; permit: Permit };

/** Runs on threads: create, stream, wait, list, read, join, cancel, delete. */
export function threadRunRoutes(deps: RunRouteDeps): Operation[] {
  return [
    ...creating(deps, "/threads/:thread_id/runs", "Thread Runs", thread, ThreadRunBody),
    ...existing(deps),
  ];
}

/** Stateless runs: each on a thread of its own that is gone when it ends, unless asked to stay. */
export function statelessRunRoutes(deps: RunRouteDeps): Operation[] {
  return [
    ...creating(deps, "/runs", "Stateless Runs", Type.Object({}), StatelessRunBody),
    ...joining(deps, "/runs/:run_id", "Stateless Runs", Type.Object({ run_id: Uuid })),
  ];
}

function creating<P extends TObject, B extends TSchema>(
  { runs }: RunRouteDeps,
  base: string,
  tag: string,
  params: P,
  body: B,
): Operation[] {
  const create = ({ body, path, request, permit }: Arrival, follow: RunPlace["follow"]) =>
    runs.create(body, {
      threadId: path.thread_id,
      runId: permit.runIds?.[0],
      headers: requestConfigurable(request),
      follow,
    });
  const cancels = (body: RunBody) => body.on_disconnect === "cancel";
  const spec = { method: "POST", bodyLimit: "process", tag, params, body, startsRun: true } as const;
  return [
    operation(
      {
        ...spec,
        path: base,
        access: agentServer(runRules.create),
        summary: "Create a background run",
        answers: { 200: created, ...refused },
      },
      async (input) => {
        const run = await create(input as Arrival, "none");
        return json(shownRun(run), 200, { "content-location": runPath(run) });
      },
    ),
    operation(
      {
        ...spec,
        path: `${base}/stream`,
        access: agentServer(runRules.create),
        summary: "Create a run and stream it",
        answers: { 200: streamed, ...refused },
      },
      async (input) => {
        const arrival = input as Arrival;
        const run = await create(arrival, "stream");
        return streamRun(arrival, { runs, run, from: START, cancelOnDisconnect: cancels(arrival.body) });
      },
    ),
    operation(
      {
        ...spec,
        path: `${base}/wait`,
        access: agentServer(runRules.create),
        summary: "Create a run and wait for its result",
        answers: { 200: waited, ...refused },
      },
      async (input) => {
        const arrival = input as Arrival;
        const run = await create(arrival, "wait");
        return waitForRun(arrival, { runs, run, cancelOnDisconnect: cancels(arrival.body) });
      },
    ),
  ];
}

const joinQuery = Type.Object({
  stream_mode: Type.Optional(StreamModes),
  cancel_on_disconnect: Type.Optional(Type.Boolean({ default: false })),
});

/** Joining and cancelling, the same under both paths. */
function joining({ runs }: RunRouteDeps, base: string, tag: string, params: TObject): Operation[] {
  const find = (path: unknown): Promise<Run> => {
    const { run_id, thread_id } = path as { run_id: string; thread_id?: string };
    return runs.get(run_id, thread_id);
  };
  return [
    operation(
      {
        method: "GET",
        path: base,
        access: agentServer(runRules.read),
        bodyLimit: "none",
        tag,
        params,
        summary: "Get a run",
        answers: { 200: created, 404: "No such run" },
      },
      async ({ path }) => json(shownRun(await find(path))),
    ),
    operation(
      {
        method: "GET",
        path: `${base}/join`,
        access: agentServer(runRules.read),
        bodyLimit: "none",
        tag,
        params,
        query: Type.Object({ cancel_on_disconnect: Type.Optional(Type.Boolean({ default: false })) }),
        summary: "Wait for the result of a run",
        answers: { 200: waited, 404: "No such run" },
      },
      async (input) => {
        const run = await find(input.path);
        return waitForRun(input, {
          runs,
          run,
          cancelOnDisconnect: input.query.cancel_on_disconnect === true,
        });
      },
    ),
    operation(
      {
        method: "GET",
        path: `${base}/stream`,
        access: agentServer(runRules.read),
        bodyLimit: "none",
        tag,
        params,
        query: joinQuery,
        summary: "Join the stream of a run",
        description:
          "With `Last-Event-ID`, everything after that event (`-1`: from the first); without it, events from now on. " +
          "For a run that has ended: its last values and its error.",
        answers: { 200: streamed, 404: "No such run" },
      },
      async (input) => {
        const run = await find(input.path);
        const { stream_mode, cancel_on_disconnect } = input.query;
        const from = await runs.joinAt(run, input.request.headers.get("last-event-id"));
        const modes = typeof stream_mode === "string" ? [stream_mode] : stream_mode;
        return streamRun(input, {
          runs,
          run,
          from,
          modes,
          cancelOnDisconnect: cancel_on_disconnect === true,
        });
      },
    ),
    operation(
      {
        method: "POST",
        path: `${base}/cancel`,
        access: agentServer(runRules.cancel),
        bodyLimit: "none",
        tag,
        params,
        query: Type.Object({
          wait: Type.Optional(Type.Boolean({ default: false })),
          action: Type.Optional(oneOf(["interrupt", "rollback"], { default: "interrupt" })),
        }),
        summary: "Cancel a run",
        description: "`interrupt` keeps what the run did; `rollback` deletes the run and its checkpoints.",
        answers: {
          202: "Berth has asked the run to stop. With `wait`: it has stopped, but one of its nodes was still running 5 s later",
          204: "Stopped, and its nodes have ended",
          404: "No such run",
          409: "The run has ended",
        },
      },
      async ({ path, query, request }) => {
        const run = await find(path);
        await runs.cancel(run, query.action ?? "interrupt");
        if (query.wait !== true) return new Response(null, { status: 202 });
        const { nodeRuns } = await runs.ended(run, request.signal);
        return nodeRuns ? new Response(null, { status: 202 }) : empty();
      },
    ),
    operation(
      {
        method: "DELETE",
        path: base,
        access: agentServer(runRules.remove),
        bodyLimit: "none",
        tag,
        params,
        summary: "Delete a run",
        answers: { 204: "Deleted", 404: "No such run" },
      },
      async ({ path, request }) => {
        await runs.delete(await find(path), request.signal);
        return empty();
      },
    ),
  ];
}

function existing(deps: RunRouteDeps): Operation[] {
  const list = operation(
    {
      method: "GET",
      path: "/threads/:thread_id/runs",
      access: agentServer(runRules.list),
      bodyLimit: "none",
      tag: "Thread Runs",
      params: thread,
      query: Type.Object({
        limit: Type.Optional(limitField({ default: 10, maximum: 1_000 })),
        offset: Type.Optional(offsetField()),
        status: Type.Optional(oneOf(runStatuses)),
        select: Type.Optional(Type.Array(oneOf(runFieldNames))),
      }),
      summary: "List the runs of a thread",
      description: "Newest first.",
      answers: { 200: { description: "The runs", schema: Type.Array(ShownRun) }, 404: "No such thread" },
    },
    async (input) => {
      const { path, query } = input;
      await deps.requireThread(path.thread_id);
      const { limit = 10, offset = 0, status, select } = query;
      const groups = deps.runs.listInGroups(path.thread_id, { limit, offset, status });
      return jsonList(input, groups, (run) => JSON.stringify(selected(shownRun(run), select)));
    },
  );
  return [list, ...joining(deps, "/threads/:thread_id/runs/:run_id", "Thread Runs", threadRun)];
}

/** What a handler passes on so that a stream can watch its reader. */
type Reader = { request: Request; server: Connection | null; caller: Caller | null };

/** The path of a run; clients read its id from the end of `Content-Location`. */
function runPath(run: Run): string {
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
function streamRun(
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

/**
 * Waits for a run's result. Headers go out soon, whatever the run takes, so that the client learns its id.
 */
async function waitForRun(reader: Reader, following: Following): Promise<Response> {
  const { runs, run } = following;
  const gone = new AbortController();
  const left = leave(following);
  const headers = { "content-location": runPath(run), location: `${runPath(run)}/join` };
  const result = runs.result(run, gone.signal);
  // A run that is over this soon is answered in one piece, without opening a stream for it.
  const early = await soon(result, runs.unannouncedMs);
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

function soon(result: Promise<string>, limitMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), limitMs);
    const done = (text: string | undefined) => {
      clearTimeout(timer);
      resolve(text);
    };
    // A failure is for the stream to show: it ends the connection so that the client comes back.
    result.then(done, () => done(undefined));
  });
}
