import { Database as RawDatabase } from "bun:sqlite";
import { expect } from "bun:test";
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
import { databaseUrl } from "../../postgres/for-data.ts";
import { statementOn } from "../../statement.ts";
import { standingClock } from "../../store/every-store.ts";

type Made = Partial<Pick<EngineDeps, "ask" | "detect" | "flush">> & Partial<EngineDeps["settings"]>;

/**
 * Engines, as several processes would have them, on one database and one clock that the test turns.
 * @param sql what the database has in it before it is opened
 */
export async function openEngineRig(sql?: string) {
  const folder = await mkdtemp(join(tmpdir(), "berth-engine-"));
  const clock = standingClock();
  if (sql !== undefined) {
    const raw = new RawDatabase(join(folder, "berth.db"), { create: true });
    raw.run(sql);
    raw.close();
  }
  const opened: (() => Promise<void>)[] = [];
  const open = async (name: string) => {
    const db = await openDatabase(await databaseUrl(join(folder, name)), clock);
    opened.push(() => db.close());
    return db;
  };
  const db = await open("berth.db");
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: sql === undefined ? "test" : "landed" });
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
      const mine = await open("berth.db");
      const engine = new Engine({
        ...{ db: mine, outbox: outboxOn(mine), clock, ask, detect, flush, owner: Bun.randomUUIDv7() },
        settings: { intervalMs: 60_000, minTraces: 3, timeoutMs: 30_000, leaseMs: 10_000, ...settings },
        log: (event, fields) => void log.push([event, fields]),
      });
      opened.push(() => engine.stop(0));
      return { engine };
    },
    /** A run of a graph whose tool failed with these words, or that went well. */
    leave: async (sessionId: string, error?: string | Failed, { packed = false } = {}) => {
      clock.advance(1_000);
      const spans = spansOf(
        sessionId,
        clock.now(),
        typeof error === "string" ? { tool: "weather", message: error } : error,
      );
      if (packed) await traces.writeWhole([spans.toReversed()]);
      else await traces.write(spans);
      return spans[0]?.id ?? "";
    },
    /** Changes the database beside everybody, as a broken disk or another program does. */
    async damage(sql: string, ...values: (string | number)[]) {
      const url = await databaseUrl(join(folder, "berth.db"));
      expect((await statementOn(url, `${sql} returning 1`, ...values)).length).toBeGreaterThan(0);
    },
    close: async () => {
      for (const each of opened.reverse()) await each();
      await rm(folder, { recursive: true });
    },
  };
}

/** How a tool failed, and whether the run did not survive it; the metadata are those of the tool's span. */
type Failed = {
  tool: string;
  message: string;
  type?: string;
  metadata?: Record<string, unknown>;
  dies?: boolean;
};

function spansOf(session_id: string, now: number, error?: Failed): SpanWrite[] {
  const [root, tool] = [Bun.randomUUIDv7("hex", now), Bun.randomUUIDv7("hex", now)];
  const of = {
    trace_id: root,
    session_id,
    thread_id: Bun.randomUUIDv7(),
    start_time: now,
    end_time: now + 100,
  };
  return [
    {
      ...{ ...of, id: root, name: "agent" },
      ...(error?.dies
        ? { status: "error" as const, error: { type: "Error", message: error.message } }
        : { status: "success" as const }),
    },
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
        ? {
            status: "error" as const,
            error: { type: error.type ?? "Error", message: error.message },
            metadata: error.metadata,
          }
        : { status: "success" as const }),
    },
  ];
}
