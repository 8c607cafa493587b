import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_WORKSPACE, openDatabase, Sessions, type SpanWrite, systemClock, Traces } from "@berth/store";
import { type Server, startServer } from "../servers.ts";
import { median } from "./drive.ts";
import { send } from "./http-calls.ts";
import type { Figures, JobOf } from "./job.ts";

const WRITTEN_AT_ONCE = 500;
const ASK_EVERY_MS = 2;
const BODY = JSON.stringify({
  messages: [{ type: "ai", content: "It rains in Oslo, and will all day. ".repeat(20) }],
});

/** A Berth looks at many traces that it has not seen: four spans each, one run in ten with a tool that failed. */
export async function engineScan({ traces: count }: JobOf<"engine-scan">): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "berth-bench-engine-"));
  try {
    const db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
    const session = await new Sessions(db, systemClock).ensure(DEFAULT_WORKSPACE.id, "bench");
    await fill(new Traces(db, systemClock), session.id, count);
    await db.close();
    const server = await startServer("berth", { environment: { ENGINE_INTERVAL: "0" }, data: folder });
    try {
      return { ...(await scan(server, session.id, count)), ...(await search(server)) };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Scans = { resources: { status: string; scanned: number; opened: number }[] };

async function scan(server: Server, session_id: string, count: number): Promise<Figures> {
  await Bun.sleep(1_000);
  const rest = server.memory()?.tree ?? Number.NaN;
  const alone = await askedUntil(server.url, Bun.sleep(1_000));
  const memory = watchMemory(server);
  const begun = performance.now();
  const scanning = send(server.url, "POST", "/v1/engine/scan", { session_id }).then((answer) =>
    answer.json(),
  );
  const beside = await askedUntil(server.url, scanning);
  const seconds = (performance.now() - begun) / 1_000;
  const { resources }: Scans = await scanning;
  const scanned = resources.reduce((sum, run) => sum + run.scanned, 0);
  // The last scan of several is the one that is answered.
  if (resources.some(({ status }) => status !== "success") || scanned === 0)
    throw new Error("the scan failed");
  return {
    ...{ seconds, perSecond: count / seconds, memory: memory() - rest },
    late: Math.max(...beside) - median(alone),
    opened: resources.reduce((sum, run) => sum + run.opened, 0),
  };
}

/** Of a word that no trace has, page by page: the first search writes the words of all of them. */
async function search({ url }: Server): Promise<Figures> {
  const alone = await askedUntil(url, Bun.sleep(1_000));
  const first = pagesFor(url, "gooseberry");
  const beside = await askedUntil(url, first);
  const again = await pagesFor(url, "quince");
  return {
    ...{ wordsSeconds: (await first).ms / 1_000, wordsLate: Math.max(...beside) - median(alone) },
    ...{ wordsPage: (await first).longest, wordsAgain: again.ms },
  };
}

async function pagesFor(url: string, word: string): Promise<{ ms: number; longest: number }> {
  let [ms, longest, cursor] = [0, 0, ""];
  for (let next: string | null = cursor; next !== null; cursor = `&cursor=${next}`) {
    const begun = performance.now();
    const page: TracesPage = await (await send(url, "GET", `/v1/traces?q=${word}${cursor}`)).json();
    if (page.resources.length > 0) throw new Error("a trace has a word that none has");
    const took = performance.now() - begun;
    [ms, longest, next] = [ms + took, Math.max(longest, took), page.next];
  }
  return { ms, longest };
}

type TracesPage = { resources: unknown[]; next: string | null };

/** What `/ok` takes, again and again until something is over, ms. */
async function askedUntil(url: string, over: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  over.then(end, end);
  const took: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await (await send(url, "GET", "/ok")).arrayBuffer();
    took.push(performance.now() - begun);
    await Bun.sleep(ASK_EVERY_MS);
  }
  return took;
}

async function fill(traces: Traces, sessionId: string, count: number): Promise<void> {
  const begin = Date.now() - count * 10;
  for (let from = 0; from < count; from += WRITTEN_AT_ONCE) {
    const spans = Array.from({ length: Math.min(WRITTEN_AT_ONCE, count - from) }, (_, i) =>
      spansOf(sessionId, from + i, begin + (from + i) * 10),
    );
    const { dropped } = await traces.write(spans.flat());
    if (dropped > 0) throw new Error(`${dropped} spans were dropped`);
  }
}

function spansOf(session_id: string, n: number, start_time: number): SpanWrite[] {
  const [root, agent, model, tool] = Array.from({ length: 4 }, () => Bun.randomUUIDv7());
  if (!root || !agent || !model || !tool) throw new Error("no ids");
  const of = {
    trace_id: root,
    session_id,
    thread_id: root,
    start_time,
    end_time: start_time + 900 + (n % 50),
  };
  const ok = { status: "success" as const, inputs: BODY, outputs: BODY };
  const failed = n % 10 === 0;
  const error = {
    type: "OrderError",
    message: `no order ${n} of "customer ${n % 97}" in /srv/data/${n}.json`,
  };
  return [
    { ...of, ...ok, id: root, name: "agent" },
    { ...of, ...ok, id: agent, parent_id: root, name: "agent", node: "agent" },
    {
      ...of,
      ...ok,
      id: model,
      parent_id: agent,
      name: "model",
      node: "agent",
      run_type: "llm",
      total_tokens: 500,
    },
    {
      ...{ ...of, id: tool, parent_id: root, name: "orders", node: "tools", run_type: "tool" as const },
      ...(failed ? { status: "error" as const, error } : ok),
      inputs: `{"order":${n}}`,
    },
  ];
}

/** The most that it takes from now on, in MB, once somebody asks. */
function watchMemory(server: Server): () => number {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, server.memory()?.tree ?? 0);
  }, 50);
  return () => {
    clearInterval(timer);
    return most;
  };
}
