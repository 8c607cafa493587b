/**
 * Another LangGraph-compatible server, as an image brings one: the routes of threads and runs that every Agent Server
 * has, in memory, and nothing of Berth's own. It refuses what it does not know, and sends each run as a trace to
 * wherever its environment says.
 */
export {};

type Message = { type: string; id: string; content: string };
type Checkpoint = { checkpoint_id: string; checkpoint_ns: string; thread_id: string };
type Interrupt = { id: string; value: unknown };
type State = {
  values: { messages: Message[] };
  next: string[];
  tasks: { id: string; name: string; interrupts: Interrupt[] }[];
  metadata: { step: number; source: string; run_id: string };
  checkpoint: Checkpoint;
  parent_checkpoint: Checkpoint | null;
  created_at: string;
};
type Part = { id: number; event: string; data: unknown };
type Run = {
  run_id: string;
  thread_id: string;
  assistant_id: string;
  status: string;
  created_at: string;
  kwargs: Record<string, unknown>;
  parts: Part[];
  stop: AbortController;
  changed: Set<() => void>;
};
type Thread = {
  thread_id: string;
  created_at: string;
  updated_at: string;
  metadata: Record<string, unknown>;
  states: State[];
  runs: Run[];
};
type RunBody = {
  assistant_id: string;
  input?: { messages?: { content: unknown; id?: string }[] } | null;
  command?: { resume?: unknown };
  checkpoint_id?: string;
  stream_mode: string[];
  if_not_exists?: string;
};

const ASSISTANT = "11111111-2222-4333-8444-555555555555";
const MODES = new Set(["values", "updates", "messages", "messages-tuple", "custom", "events", "debug"]);
const FIELDS = new Set(
  (
    "assistant_id input command config context metadata checkpoint checkpoint_id stream_mode stream_subgraphs " +
    "stream_resumable on_disconnect on_completion multitask_strategy if_not_exists webhook feedback_keys after_seconds " +
    "interrupt_before interrupt_after durability"
  ).split(" "),
);
const threads = new Map<string, Thread>();
const now = () => new Date().toISOString();

const REASON = "the warehouse is closed";

class Refusal extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

function threadOf(id: string): Thread {
  const thread = threads.get(id);
  if (!thread) throw new Refusal(404, `Thread with ID ${id} not found`);
  return thread;
}

const headOf = ({ states }: Thread): State | undefined => states.at(-1);
const askedIn = (state: State | undefined): Interrupt[] =>
  (state?.tasks ?? []).flatMap((task) => task.interrupts);

function statusOf(thread: Thread): string {
  const newest = thread.runs.at(-1);
  if (newest?.status === "running") return "busy";
  if (newest?.status === "error") return "error";
  return askedIn(headOf(thread)).length > 0 ? "interrupted" : "idle";
}

/** What its last run failed of, where it is asked to keep that: in its state, as LangGraph does, at the thread, or nowhere. */
function failureOf(thread: Thread, place: "state" | "thread"): string | { message: string } | null {
  if (thread.runs.at(-1)?.status !== "error") return null;
  const said = headOf(thread)?.values.messages.findLast(({ type }) => type === "human")?.content ?? "";
  if (said === "fail untold" || (said === "fail at the thread") !== (place === "thread")) return null;
  return place === "thread" ? { message: REASON } : `Error('${REASON}')`;
}

function shownState(thread: Thread): object {
  const head = headOf(thread);
  const error = failureOf(thread, "state");
  if (!head || error === null) return head ?? EMPTY;
  return { ...head, tasks: [{ id: Bun.randomUUIDv7(), name: "talk", error, interrupts: [] }] };
}

function shownThread(thread: Thread): object {
  const { thread_id, created_at, updated_at, metadata } = thread;
  const head = headOf(thread);
  const interrupts = Object.fromEntries((head?.tasks ?? []).map(({ id, interrupts }) => [id, interrupts]));
  return {
    ...{ thread_id, created_at, updated_at, metadata, interrupts },
    ...{ status: statusOf(thread), values: head?.values ?? null, error: failureOf(thread, "thread") },
  };
}

const shownRun = ({ run_id, thread_id, assistant_id, status, created_at, kwargs }: Run): object => ({
  ...{ run_id, thread_id, assistant_id, status, created_at, kwargs, updated_at: now(), metadata: {} },
});

function keep(
  thread: Thread,
  run: Run,
  from: State | undefined,
  messages: Message[],
  asked: Interrupt[] = [],
) {
  const { thread_id } = thread;
  const state: State = {
    values: { messages },
    next: asked.length > 0 ? ["talk"] : [],
    tasks: asked.length > 0 ? [{ id: Bun.randomUUIDv7(), name: "talk", interrupts: asked }] : [],
    metadata: { step: (from?.metadata.step ?? -1) + 1, source: "loop", run_id: run.run_id },
    checkpoint: { checkpoint_id: Bun.randomUUIDv7(), checkpoint_ns: "", thread_id },
    parent_checkpoint: from?.checkpoint ?? null,
    created_at: now(),
  };
  thread.states.push(state);
  thread.updated_at = now();
  return state;
}

function say(run: Run, event: string, data: unknown): void {
  run.parts.push({ id: run.parts.length, event, data });
  for (const tell of [...run.changed]) tell();
}

/** The graph: it says again what it is told, asks, takes its time, or fails. */
async function talk(thread: Thread, run: Run, body: RunBody): Promise<void> {
  const named = thread.states.find(({ checkpoint }) => checkpoint.checkpoint_id === body.checkpoint_id);
  const before = named ?? headOf(thread);
  let from = before;
  let messages = before?.values.messages ?? [];
  const told = (body.input?.messages ?? []).map(({ content, id }) => ({
    ...{ type: "human", id: id ?? Bun.randomUUIDv7(), content: wordsOf(content) },
  }));
  if (told.length > 0) {
    // As LangGraph does: first where the input is to be taken, then where it was.
    from = keep(thread, run, from, messages);
    messages = [...messages, ...told];
    from = keep(thread, run, from, messages);
    say(run, "values", from.values);
  }
  const said = messages.findLast(({ type }) => type === "human")?.content ?? "";
  const { resume } = body.command ?? {};
  if (said === "ask" && resume === undefined) {
    const asked = [{ id: crypto.randomUUID().replaceAll("-", ""), value: "What is the colour?" }];
    keep(thread, run, from, messages, asked);
    return say(run, "values", { messages, __interrupt__: asked });
  }
  if (said.startsWith("fail")) throw new Error(REASON);
  const answer = said === "ask" ? `The colour is ${JSON.stringify(resume)}.` : `You said ${said}.`;
  const words =
    said === "slow" ? Array.from({ length: 600 }, (_, at) => `word${at}`) : answer.split(/(?<= )/);
  const id = `run-${run.run_id}`;
  for (const word of words) {
    if (run.stop.signal.aborted) return;
    const metadata = { langgraph_node: "talk", langgraph_checkpoint_ns: `talk:${run.run_id}` };
    const content = said === "slow" ? `${word} ` : word;
    say(run, "messages", [{ type: "AIMessageChunk", id, content, tool_call_chunks: [] }, metadata]);
    await Bun.sleep(25);
  }
  const state = keep(thread, run, from, [
    ...messages,
    { type: "ai", id, content: words.join(said === "slow" ? " " : "") },
  ]);
  say(run, "values", state.values);
}

const wordsOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as { text?: string }[]).map(({ text = "" }) => text).join("");

async function execute(thread: Thread, run: Run, body: RunBody): Promise<void> {
  const started = Date.now();
  say(run, "metadata", { run_id: run.run_id, attempt: 1 });
  let error: string | undefined;
  try {
    await talk(thread, run, body);
    run.status = run.stop.signal.aborted ? "interrupted" : "success";
  } catch (failure) {
    error = String(failure);
    run.status = "error";
    say(run, "error", { error: "Error", message: (failure as Error).message });
  }
  thread.updated_at = now();
  say(run, "end", null);
  await sendTrace(run, started, error);
}

/** As the `langsmith` client of a server would. */
async function sendTrace(run: Run, started: number, error: string | undefined): Promise<void> {
  const { LANGSMITH_ENDPOINT, LANGSMITH_API_KEY = "", LANGSMITH_PROJECT } = process.env;
  if (!LANGSMITH_ENDPOINT) return;
  const time = new Date(started).toISOString().replace(/[-:.]/g, "").replace("Z", "000Z");
  const sent = await fetch(`${LANGSMITH_ENDPOINT}/runs`, {
    method: "POST",
    headers: { "x-api-key": LANGSMITH_API_KEY, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ id: run.run_id, trace_id: run.run_id, name: "talk", run_type: "chain" },
      ...{ inputs: run.kwargs.input ?? {}, outputs: {}, session_name: LANGSMITH_PROJECT },
      ...{ dotted_order: `${time}${run.run_id}`, start_time: started, end_time: Date.now() },
      extra: { metadata: { thread_id: run.thread_id } },
      ...(error !== undefined && { error }),
    }),
  });
  if (!sent.ok) console.error(`the trace was refused: ${sent.status} ${await sent.text()}`);
}

function begin(threadId: string, body: RunBody): Run {
  const unknown = Object.keys(body).filter((name) => !FIELDS.has(name));
  if (unknown.length > 0) throw new Refusal(422, `Unknown fields: ${unknown.join(", ")}`);
  const strange = body.stream_mode.filter((mode) => !MODES.has(mode));
  if (strange.length > 0) throw new Refusal(422, `Invalid stream mode: ${strange.join(", ")}`);
  if (body.assistant_id !== ASSISTANT) throw new Refusal(404, "No such assistant");
  let thread = threads.get(threadId);
  if (!thread && body.if_not_exists !== "create") throw new Refusal(404, "No such thread");
  thread ??= {
    thread_id: threadId,
    created_at: now(),
    updated_at: now(),
    metadata: {},
    states: [],
    runs: [],
  };
  threads.set(threadId, thread);
  thread.metadata = { ...thread.metadata, assistant_id: ASSISTANT, graph_id: "talk" };
  for (const { stop } of thread.runs) stop.abort();
  const run: Run = {
    ...{ run_id: Bun.randomUUIDv7(), thread_id: threadId, assistant_id: ASSISTANT, status: "running" },
    ...{ created_at: now(), kwargs: { input: body.input, command: body.command }, parts: [] },
    ...{ stop: new AbortController(), changed: new Set<() => void>() },
  };
  thread.runs.push(run);
  void execute(thread, run, body);
  return run;
}

/** What a run tells, from a place on, until its end; lines end as those of Python servers do. */
function streamed(run: Run, from: number): Response {
  let at = from;
  const encoder = new TextEncoder();
  let tell = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      tell = () => {
        for (let part = run.parts[at]; part; part = run.parts[at]) {
          at += 1;
          const { id, event, data } = part;
          if (event === "end") {
            run.changed.delete(tell);
            return controller.close();
          }
          const lines = `id: ${id}\r\nevent: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;
          controller.enqueue(encoder.encode(lines));
        }
      };
      run.changed.add(tell);
      tell();
    },
    cancel: () => void run.changed.delete(tell),
  });
  const location = `/threads/${run.thread_id}/runs/${run.run_id}`;
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "content-location": location },
  });
}

function runOf(threadId: string, runId: string): Run {
  const run = threadOf(threadId).runs.find(({ run_id }) => run_id === runId);
  if (!run) throw new Refusal(404, "No such run");
  return run;
}

const EMPTY = { values: {}, next: [], tasks: [], metadata: {}, checkpoint: null, parent_checkpoint: null };

type Given = { body: Record<string, unknown>; headers: Headers };
type Route = (given: Given, ...names: string[]) => unknown;

const routes: [method: string, path: RegExp, answer: Route][] = [
  ["GET", /^\/ok$/, () => ({ ok: true })],
  ["GET", /^\/env$/, () => process.env],
  [
    "POST",
    /^\/assistants\/search$/,
    () => [{ assistant_id: ASSISTANT, graph_id: "talk", name: "talk", config: {}, metadata: null }],
  ],
  [
    "GET",
    /^\/assistants\/[^/]+\/schemas$/,
    () => ({
      graph_id: "talk",
      input_schema: {
        type: "object",
        properties: { messages: { type: "array", items: { type: "object" } } },
      },
    }),
  ],
  [
    "POST",
    /^\/threads\/search$/,
    ({ body: { limit = 10, offset = 0 } }) =>
      [...threads.values()]
        .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at))
        .slice(Number(offset), Number(offset) + Number(limit))
        .map(shownThread),
  ],
  ["GET", /^\/threads\/([^/]+)$/, (_, id = "") => shownThread(threadOf(id))],
  [
    "PATCH",
    /^\/threads\/([^/]+)$/,
    ({ body }, id = "") => {
      const thread = threadOf(id);
      thread.metadata = { ...thread.metadata, ...(body.metadata as object) };
      return shownThread(thread);
    },
  ],
  ["DELETE", /^\/threads\/([^/]+)$/, (_, id = "") => void threads.delete(threadOf(id).thread_id)],
  ["GET", /^\/threads\/([^/]+)\/state$/, (_, id = "") => shownState(threadOf(id))],
  [
    "POST",
    /^\/threads\/([^/]+)\/history$/,
    ({ body }, id = "") => {
      const { limit = 10, before } = body as {
        limit?: number;
        before?: { configurable: { checkpoint_id: string } };
      };
      const least = before?.configurable.checkpoint_id;
      return threadOf(id)
        .states.filter(({ checkpoint }) => least === undefined || checkpoint.checkpoint_id < least)
        .toReversed()
        .slice(0, limit);
    },
  ],
  ["GET", /^\/threads\/([^/]+)\/runs$/, (_, id = "") => threadOf(id).runs.toReversed().map(shownRun)],
  ["GET", /^\/threads\/([^/]+)\/runs\/([^/]+)$/, (_, id = "", run = "") => shownRun(runOf(id, run))],
  [
    "POST",
    /^\/threads\/([^/]+)\/runs\/stream$/,
    ({ body }, id = "") => streamed(begin(id, body as unknown as RunBody), 0),
  ],
  [
    "GET",
    /^\/threads\/([^/]+)\/runs\/([^/]+)\/stream$/,
    ({ headers }, id = "", run = "") =>
      streamed(runOf(id, run), Number(headers.get("last-event-id") ?? 0) + 1),
  ],
  [
    "POST",
    /^\/threads\/([^/]+)\/runs\/([^/]+)\/cancel$/,
    (_, id = "", run = "") => void runOf(id, run).stop.abort(),
  ],
];

const server = Bun.serve({
  hostname: process.env.HOST ?? "0.0.0.0",
  port: Number(process.env.PORT),
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    try {
      for (const [method, path, answer] of routes) {
        const [found, ...names] = (request.method === method && path.exec(pathname)) || [];
        if (found === undefined) continue;
        const text = await request.text();
        const given = { body: text ? JSON.parse(text) : {}, headers: request.headers };
        const answered = answer(given, ...names);
        if (answered instanceof Response) return answered;
        return answered === undefined ? new Response(null, { status: 204 }) : Response.json(answered);
      }
      throw new Refusal(404, "Not Found");
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      return Response.json({ detail: (error as Error).message }, { status });
    }
  },
});

console.log(`listening at ${server.port}`);
process.on("SIGTERM", () => process.exit(0));
