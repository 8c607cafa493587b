import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Database,
  DEFAULT_WORKSPACE,
  Issues,
  Outbox,
  openDatabase,
  openSecretBox,
  Sessions,
  type SpanWrite,
  Subscriptions,
  Traces,
} from "@berth/store";
import { Engine, type EngineDeps } from "../../../agent/engine/index.ts";
import { standingClock } from "../../store/every-store.ts";

type Made = Partial<Pick<EngineDeps, "ask" | "detect" | "flush">> & Partial<EngineDeps["settings"]>;

/** Engines, as several processes would have them, on one database and one clock that the test turns. */
export async function openEngineRig() {
  const folder = await mkdtemp(join(tmpdir(), "berth-engine-"));
  const clock = standingClock();
  const opened: (() => Promise<void>)[] = [];
  const open = async (name: string) => {
    const db = await openDatabase(`sqlite:${join(folder, name)}`, clock);
    opened.push(() => db.close());
    return db;
  };
  const db = await open("berth.db");
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: "test" });
  const outboxOn = (on: Database) =>
    new Outbox(on, clock, box, { publicUrl: "http://berth.example", backoff: () => 1_000 });
  const outbox = outboxOn(db);
  const traces = new Traces(db, clock);
  const log: [string, Record<string, unknown>][] = [];
  return {
    ...{ folder, clock, db, outbox, traces, log, workspaceId: DEFAULT_WORKSPACE.id },
    sessions: new Sessions(db, clock),
    issues: new Issues(db, clock, outbox),
    subscriptions: new Subscriptions(db, clock, box),
    openEngine: async ({ ask, detect, flush, ...settings }: Made = {}) => {
      const [mine, ownDb] = [await open("berth.db"), await open("engine.db")];
      const engine = await Engine.open({
        ...{ db: mine, ownDb, outbox: outboxOn(mine), clock, ask, detect, flush },
        settings: { intervalMs: 60_000, minTraces: 3, timeoutMs: 30_000, leaseMs: 10_000, ...settings },
        log: (event, fields) => void log.push([event, fields]),
      });
      opened.push(() => engine.stop(0));
      return { engine, ownDb };
    },
    /** A run of a graph whose tool failed with these words, or that went well. */
    leave: async (sessionId: string, error?: string | { tool: string; message: string }) => {
      clock.advance(1_000);
      const spans = spansOf(
        sessionId,
        clock.now(),
        typeof error === "string" ? { tool: "weather", message: error } : error,
      );
      await traces.write(spans);
      return spans[0]?.id ?? "";
    },
    close: async () => {
      for (const each of opened.reverse()) await each();
      await rm(folder, { recursive: true });
    },
  };
}

function spansOf(session_id: string, now: number, error?: { tool: string; message: string }): SpanWrite[] {
  const [root, tool] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  const of = {
    trace_id: root,
    session_id,
    thread_id: Bun.randomUUIDv7(),
    start_time: now,
    end_time: now + 100,
  };
  return [
    { ...of, id: root, name: "agent", status: "success" },
    {
      ...{
        ...of,
        id: tool,
        parent_id: root,
        name: error?.tool ?? "weather",
        run_type: "tool" as const,
        node: "tools",
      },
      ...(error
        ? { status: "error" as const, error: { type: "Error", message: error.message } }
        : { status: "success" as const }),
    },
  ];
}
