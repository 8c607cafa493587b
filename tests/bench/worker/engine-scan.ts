import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Engine, systemClock } from "@berth/agent";
import {
  DEFAULT_WORKSPACE,
  Outbox,
  openDatabase,
  openSecretBox,
  Sessions,
  type SpanWrite,
  Traces,
} from "@berth/store";
import type { Figures, JobOf } from "./job.ts";

const WRITTEN_AT_ONCE = 500;
const MINUTES = 10;
const MB = 2 ** 20;
const BODY = JSON.stringify({
  messages: [{ type: "ai", content: "It rains in Oslo, and will all day. ".repeat(20) }],
});

/** The engine, in this process, looks at many traces: four spans each, one run in ten with a tool that failed. */
export async function engineScan({ traces: count }: JobOf<"engine-scan">): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "berth-bench-engine-"));
  const db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: "bench" });
  const outbox = new Outbox(db, systemClock, box, { publicUrl: "http://127.0.0.1", backoff: () => 10_000 });
  try {
    const session = await new Sessions(db, systemClock).ensure(DEFAULT_WORKSPACE.id, "bench");
    await fill(new Traces(db, systemClock), session.id, count);
    const settings = { intervalMs: 0, minTraces: 3, timeoutMs: MINUTES * 60_000, leaseMs: 10_000 };
    const engine = new Engine({ db, outbox, clock: systemClock, settings, owner: "bench", log: () => {} });
    Bun.gc(true);
    const memory = watchMemory();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const started = performance.now();
    const runs = await engine.scan({ workspaceId: DEFAULT_WORKSPACE.id, sessionId: session.id });
    const seconds = (performance.now() - started) / 1_000;
    delay.disable();
    const scanned = runs.reduce((sum, run) => sum + run.scanned, 0);
    const opened = runs.reduce((sum, run) => sum + run.opened, 0);
    // The last scan of several is the one that is answered.
    if (runs.some(({ status }) => status !== "success") || scanned === 0) throw new Error("the scan failed");
    await engine.stop(0);
    return { seconds, perSecond: count / seconds, memory: memory(), loopDelay: delay.max / 1e6, opened };
  } finally {
    await db.close();
    await rm(folder, { recursive: true });
  }
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

/** Counts from now on; then tells by how many megabytes the process grew at most. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 50);
  return () => {
    clearInterval(timer);
    return (most - before) / MB;
  };
}
