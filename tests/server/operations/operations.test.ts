import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  Activity,
  type Database,
  DEFAULT_WORKSPACE,
  previewRetention,
  systemFigures,
  Traces,
} from "@berth/store";
import { ActivityFeed, MOST_WATCHERS } from "../../../server/operations/activity.ts";
import { plans } from "../../store/query-plan.ts";
import { type OperationsRig, openOperationsRig, SERVICE_KEY } from "./rig.ts";

const DAY = 86_400_000;
let rig: OperationsRig;
let theirs: Awaited<ReturnType<OperationsRig["stranger"]>>;
beforeAll(async () => {
  rig = await openOperationsRig();
  theirs = await rig.stranger("theirs");
});
afterAll(() => rig.close());

/** Puts in traces that began at these moments, into the one project that the workspace has here. */
async function traces(workspaceId: string, ...moments: number[]): Promise<void> {
  const session = {
    id: workspaceId,
    workspace_id: workspaceId,
    name: "project",
    deployment_id: null,
    ships: 0,
  };
  const body = {
    error_type: null,
    error_message: null,
    error_text: "",
    body_bytes: 100,
    metadata: "{}",
    tags: "[]",
  };
  const counts = { input_tokens: 0, output_tokens: 0, total_tokens: 0, span_count: 1, latency_ms: 0 };
  await rig.db.write(async (tx) => {
    const updated_at = rig.clock.now();
    await tx
      .insertInto("sessions")
      .values({ ...session, created_at: updated_at, updated_at, deleted_at: null })
      .onConflict((there) => there.column("id").doUpdateSet({ updated_at }))
      .execute();
    for (const start_time of moments)
      await tx
        .insertInto("traces")
        .values({
          ...{ id: Bun.randomUUIDv7(), workspace_id: workspaceId, session_id: session.id, thread_id: null },
          ...{
            ...body,
            ...counts,
            dropped_spans: 0,
            dropped_bodies: 0,
            revision: 1,
            unscanned: 1,
            unindexed: 0,
          },
          ...{ name: "run", name_folded: "run", status: "success", start_time, end_time: start_time },
          ...{ created_at: start_time, updated_at, counted: 1 },
          ...{ revision_id: null, assistant_id: null, model_usage: null, first_token_ms: null },
        })
        .execute();
  });
}

describe("the system", () => {
  const PATHS = ["/v1/system", "/v1/system/doctor", "/v1/system/retention"];

  test.each(PATHS)("%s is for keys of the organization", async (path) => {
    const refused = await rig.ask(path, { key: theirs.secret });
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual({ detail: expect.stringContaining("of the organization") });
    expect((await rig.ask(path, { key: "nobody's" })).status).toBe(401);
  });

  test("nobody else removes anything", async () => {
    const path = "/v1/system/retention/sweep";
    expect((await rig.ask(path, { method: "POST", key: theirs.secret })).status).toBe(403);
  });

  test("tells of this process, its disk and its database", async () => {
    const { status, body } = await rig.ask("/v1/system");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d/),
      pid: process.pid,
      data: { dir: rig.folder, database_bytes: expect.any(Number), disk_free_bytes: expect.any(Number) },
      queue: { pending: 0, running: 0, concurrency: 256, places: 10 },
      leases: [],
      deployments: { total: 0, by_status: {}, instances: 0 },
      engine: { unscanned_traces: expect.any(Number), last_scan: null },
    });
  });

  test("tells who holds what", async () => {
    await rig.db.write(async (tx) => {
      const until = rig.clock.ms + 1_000;
      await tx
        .insertInto("control_lease")
        .values({ id: 1, holder: "h", host: "far", pid: 7, until })
        .execute();
    });
    const { body } = await rig.ask("/v1/system");
    expect(body).toMatchObject({
      leases: [{ kind: "reconciler", holder: "far, process 7", count: 1, mine: false }],
    });
  });
});

describe("retention", () => {
  const kindOf = (body: unknown, kind: string) =>
    (body as { kinds: ({ kind: string } & Record<string, unknown>)[] }).kinds.find(
      (one) => one.kind === kind,
    );

  test("says what goes now and within a day, and the sweep removes just that", async () => {
    const now = rig.clock.ms;
    await traces(DEFAULT_WORKSPACE.id, now - 20 * DAY, now - 13.5 * DAY, now - DAY);
    const { body } = await rig.ask("/v1/system/retention");
    expect(kindOf(body, "traces")).toEqual({
      ...{ kind: "traces", title: "Traces", keeps: "14 days", setting: "TRACE_RETENTION_DAYS", rows: 3 },
      ...{ now: { count: 1, bytes: 100 }, next_day: { count: 2, bytes: 200 } },
    });
    const store = new Traces(rig.db, rig.clock);
    rig.jobs.push({ name: "traces.sweep", everyMs: 1, once: () => store.sweep(14 * DAY) });
    const swept = await rig.ask("/v1/system/retention/sweep", { method: "POST" });
    expect(kindOf(swept.body, "traces")).toEqual({ kind: "traces", title: "Traces", removed: 1 });
    const after = await rig.ask("/v1/system/retention");
    expect(kindOf(after.body, "traces")).toMatchObject({ rows: 2, now: { count: 0, bytes: 0 } });
  });
});

describe("activity", () => {
  /** Watches until so many hints have come, while something is done. */
  async function watch(key: string, wanted: string[], meanwhile: () => Promise<unknown>): Promise<string[]> {
    const stop = new AbortController();
    const request = new Request("http://localhost/v1/activity", {
      headers: { "x-api-key": key },
      signal: stop.signal,
    });
    const response = await rig.app.handle(request);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let did = false;
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      text += value ?? "";
      const events = [...text.matchAll(/^event: (\w+)\ndata: \{"at":"[^"]+"\}$/gm)].map(
        ([, name = ""]) => name,
      );
      if (done || wanted.every((kind) => events.includes(kind))) {
        await reader?.cancel();
        stop.abort();
        return events;
      }
      if (events.includes("ready") && !did) {
        did = true;
        await meanwhile();
        await rig.look();
      }
    }
  }

  test("tells that traces are new, and nobody of another workspace", async () => {
    const told = await watch(SERVICE_KEY, ["traces"], () => traces(DEFAULT_WORKSPACE.id, rig.clock.ms));
    expect(told).toEqual(["ready", "traces"]);
    const others = await watch(theirs.secret, ["traces"], async () => {
      await traces(DEFAULT_WORKSPACE.id, rig.clock.ms);
      await rig.look();
      await traces(theirs.workspaceId, rig.clock.ms);
    });
    expect(others).toEqual(["ready", "traces"]);
  });

  test("ends when the key is deleted", async () => {
    const former = await rig.stranger("former");
    const told = await watch(former.secret, ["nothing of that kind"], async () => {
      await rig.keys.delete(former.workspaceId, former.keyId);
      rig.clock.ms += 5_000;
    });
    expect(told).toEqual(["ready"]);
  });

  test("has room for so many", async () => {
    const feed = new ActivityFeed(rig.db);
    for (let count = 0; count < MOST_WATCHERS; count += 1) await feed.watch(DEFAULT_WORKSPACE.id, false);
    expect(feed.watch(DEFAULT_WORKSPACE.id, false)).rejects.toThrow("Too many");
  });
});

describe("by indexes, however much there is", () => {
  // Its own: a connection that has explained a plan keeps what it reads next as it was.
  let other: OperationsRig;
  beforeAll(async () => {
    other = await openOperationsRig();
  });
  afterAll(() => other.close());

  /** Whole tables that are read; those are small that hold what there is right now. */
  const scans = (found: string[][]) =>
    found
      .flat()
      .filter((line) => /^SCAN (?!.*USING|\d|\(|some|counted|newest)/.test(line))
      .filter((line) => !/subscriptions|deployments|control_lease|workspaces|api_keys|sessions/.test(line));

  const READINGS: [string, (db: Database) => Promise<unknown>][] = [
    ["the figures", (db) => systemFigures(db, 1)],
    ["what goes when", (db) => previewRetention(db, { now: 1, traceRetentionMs: 1 })],
    ["what has changed", (db) => new Activity(db).marks(DEFAULT_WORKSPACE.id)],
    ["what has changed in the system", (db) => new Activity(db).systemMark()],
  ];
  test.each(READINGS)("%s", async (_, read) => {
    const found = await plans(other.db, read);
    expect(found.length).toBeGreaterThan(0);
    expect(scans(found)).toEqual([]);
  });
});
