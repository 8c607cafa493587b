import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, loadProject } from "@berth/agent";
import { ownCode } from "@berth/agent/code";
import { openDatabase } from "@berth/store";
import { assistantRoutes } from "../../server/agent/assistants.ts";
import { cronRoutes } from "../../server/agent/crons.ts";
import { storeRoutes } from "../../server/agent/store.ts";
import { systemRoutes } from "../../server/agent/system.ts";
import { threadRoutes } from "../../server/agent/threads.ts";
import { databaseUrl } from "../postgres/for-data.ts";
import { call, httpApp } from "./http-app.ts";

/** A clock that moves one millisecond at each look, so that no two instants are the same. */
function tickingClock() {
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => {
      now += 1;
      return now;
    },
  };
}

/** The Agent Server's routes over the fixture graphs and a database of their own, without a socket. */
export async function openAgentRig() {
  const folder = await mkdtemp(join(tmpdir(), "berth-routes-"));
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  const clock = tickingClock();
  const project = await loadProject(join(import.meta.dir, "../fixtures"));
  const agent = await createAgent({
    db,
    clock,
    code: await ownCode(project),
    log: () => {},
    settings: {
      concurrency: 4,
      leaseMs: 10_000_000,
      renewMs: 10_000_000,
      jobTimeoutMs: 60_000,
      eventsTtlMs: 60_000,
      threadLog: { ttlMs: 3_600_000, runs: 100, chars: 16_000_000 },
      graphConfig: {},
      publicUrl: () => "http://localhost",
    },
  });
  let checkDatabase = async () => {};
  const { app } = httpApp({
    maxBodyBytes: 4 * 1_048_576,
    operations: () => [
      ...assistantRoutes(agent),
      ...threadRoutes(agent),
      ...storeRoutes(agent),
      ...cronRoutes(agent),
      ...systemRoutes({
        project,
        version: "1.2.3",
        commit: () => "abc",
        checkDatabase: () => checkDatabase(),
      }),
    ],
  });

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(app, path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  /** Starts a run; it goes on in the background. */
  const start = (threadId: string | undefined, assistant: string, input: unknown, more: object = {}) =>
    agent.runs.create({ assistant_id: assistant, input, ...more }, { threadId, headers: {}, follow: "none" });

  return {
    db,
    agent,
    get: (path: string) => send("GET", path),
    post: (path: string, body: unknown = {}) => send("POST", path, body),
    put: (path: string, body: unknown) => send("PUT", path, body),
    patch: (path: string, body: unknown, headers?: Record<string, string>) =>
      send("PATCH", path, body, headers),
    remove: (path: string, body?: unknown) => send("DELETE", path, body),
    start,
    /** Runs a graph to its end. */
    run: async (threadId: string, assistant: string, input: unknown, more: object = {}) => {
      const run = await start(threadId, assistant, input, more);
      return agent.runs.result(run, new AbortController().signal);
    },
    breakDatabase: () => {
      checkDatabase = async () => {
        throw new Error("disk I/O error");
      };
    },
    /** How many rows of each table name the thread. */
    rowsOf: async (threadId: string) => {
      const tables = ["threads", "runs", "events", "checkpoints", "channel_values"] as const;
      const counts: Record<string, number> = {};
      for (const table of tables) {
        const rows = await db.read
          .selectFrom(table)
          .where("thread_id", "=", threadId)
          .select("thread_id")
          .execute();
        counts[table] = rows.length;
      }
      return counts;
    },
    close: async () => {
      await agent.queue.stop(0);
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The text at `key` of an answered object. */
export function textOf(body: unknown, key: string): string {
  const value = typeof body === "object" && body !== null ? Reflect.get(body, key) : undefined;
  if (typeof value !== "string") throw new Error(`no ${key} in ${JSON.stringify(body)}`);
  return value;
}

/** An answered list. */
export function listOf(body: unknown): unknown[] {
  if (!Array.isArray(body)) throw new Error(`no list: ${JSON.stringify(body)}`);
  return body;
}

/** An ISO 8601 time in UTC with milliseconds. */
export const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
