import { expect, test } from "bun:test";
import { EVENT_TYPES, type EventType } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, EVERYTHING, HERE, type IssueStore, startIssueStore } from "./issue-store.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** An event of this type about an issue of this severity. */
const event = (type: EventType, sessionId: string | null, severity?: number) => ({
  type,
  workspaceId: HERE,
  sessionId,
  requestId: Bun.randomUUIDv7(),
  severity,
  data: { object: {} },
});

const received = async ({ events }: IssueStore, subscription: string) =>
  (await events(subscription)).map(({ type }) => type);

everyStore("events", (open) => {
  test("an issue with its traces is one deed: one request, ids of their own, the same snapshot", async () => {
    const store = await startIssueStore(open);
    const { opened, events, subscribe, clock, session, scan, run } = store;
    await subscribe();
    const { issue, traceIds } = await opened(50);
    const all = await events();
    expect(all.map(({ type }) => type)).toEqual([
      "issue.created",
      ...traceIds.map(() => "issue.trace.added"),
    ]);
    expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(1);
    expect(all[0].request_id).toMatch(UUID);
    expect(new Set(all.map(({ id }) => id)).size).toBe(51);
    for (const { id, data } of all) {
      expect(id).toMatch(UUID);
      expect(data.object).toEqual(all[0].data.object);
    }
    const first = all[1];
    const trace = { run_id: traceIds[0], trace_id: traceIds[0] };
    expect(JSON.stringify(first)).toBe(
      JSON.stringify({
        id: first.id,
        type: "issue.trace.added",
        created: Math.floor(clock.now() / 1000),
        request_id: first.request_id,
        data: {
          object: {
            id: issue.id,
            name: "ToolError",
            description: "50 runs",
            severity: 1,
            tenant_id: HERE,
            tenant_name: "default",
            session_id: session.id,
            session_name: "agent",
            url: `https://berth.test/console/issues/${issue.id}`,
          },
          trace: {
            ...trace,
            start_time: new Date(issue.first_seen_at).toISOString(),
            comment: "The tool search raised ToolError.",
          },
        },
      }),
    );
    expect(all[0].data).not.toHaveProperty("trace");
    await scan([await run()]);
    const [last] = (await events()).slice(51);
    expect(last.type).toBe("issue.trace.added");
    expect(last.request_id).not.toBe(first.request_id);
  });

  test("a comment that is empty is left out", async () => {
    const { opened, events, subscribe } = await startIssueStore(open);
    await subscribe();
    await opened(3, { reason: "" });
    expect(Object.keys((await events())[1].data.trace)).toEqual(["run_id", "trace_id", "start_time"]);
  });

  test("severity, threshold and type decide together who gets what", async () => {
    const store = await startIssueStore(open);
    const { subscribe, outbox, db, session } = store;
    const types = EVENT_TYPES.slice(0, 3);
    const lists = [...types.map((type) => [type]), [...types], undefined];
    const subscriptions: { id: string; threshold: number; types: readonly string[] }[] = [];
    for (const threshold of [0, 1, 2, 3]) {
      for (const list of lists) {
        const id = await subscribe({ severity_threshold: threshold, event_types: list });
        subscriptions.push({ id, threshold, types: list ?? ["issue.created"] });
      }
    }
    const sent = [0, 1, 2, 3].flatMap((severity) => [
      { ...event("issue.created", session.id, severity), severity },
      { ...event("issue.trace.added", session.id, severity), severity },
      { ...event("issue.agent_run.failed", session.id), severity: undefined },
    ]);
    await db.write((tx) => outbox.enqueue(tx, sent));
    for (const { id, threshold, types: wanted } of subscriptions) {
      const expected = sent.filter(
        ({ type, severity }) => wanted.includes(type) && (severity === undefined || severity <= threshold),
      );
      expect(await received(store, id)).toEqual(expected.map(({ type }) => type));
    }
  });

  test("a subscription to one project hears of no other, nor does another workspace", async () => {
    const store = await startIssueStore(open);
    const { subscribe, sessions, outbox, db, session } = store;
    const other = await sessions.ensure(HERE, "other");
    const one = await subscribe({ session_id: session.id, event_types: [...EVENT_TYPES] });
    const every = await subscribe({ event_types: [...EVENT_TYPES] });
    await subscribe({ event_types: [...EVENT_TYPES] }, ELSEWHERE);
    const news = [
      event("issue.created", session.id, 1),
      event("issue.created", other.id, 1),
      event("deployment.revision.failed", null),
    ];
    expect(await db.write((tx) => outbox.enqueue(tx, news))).toBe(4);
    expect(await received(store, one)).toEqual(["issue.created"]);
    expect(await received(store, every)).toEqual(news.map(({ type }) => type));
    expect(await outbox.list(ELSEWHERE, {}, { limit: 5, offset: 0 })).toEqual([]);
  });

  test("nothing is enqueued by what is rolled back", async () => {
    const { subscribe, outbox, db, session } = await startIssueStore(open);
    await subscribe();
    const failing = db.write(async (tx) => {
      await outbox.enqueue(tx, [event("issue.created", session.id, 0)]);
      throw new Error("no");
    });
    await failing.catch(() => {});
    expect(await outbox.list(HERE, {}, { limit: 5, offset: 0 })).toEqual([]);
  });

  test("a body has at most 256 KiB: its description is cut, with a mark", async () => {
    const { subscribe, outbox, db, session, events } = await startIssueStore(open);
    await subscribe();
    for (const description of ["ä\u2028".repeat(200_000), "\\".repeat(300_000), '"'.repeat(300_000)]) {
      const huge = {
        ...event("issue.created", session.id, 0),
        data: { object: { name: "n", description, severity: 0 } },
      };
      await db.write((tx) => outbox.enqueue(tx, [huge]));
      const [body] = (await events()).slice(-1);
      expect(body.data.object.description).toEndWith("… [cut]");
      expect(body.data.object).toMatchObject({ name: "n", severity: 0 });
      const bytes = Buffer.byteLength(JSON.stringify(body));
      expect(bytes).toBeLessThanOrEqual(262_144);
      expect(bytes).toBeGreaterThan(200_000);
    }
  });

  test("what a run was given as its webhook gets the run as it is, with headers of its own", async () => {
    const { outbox, db, claim } = await startIssueStore(open);
    const direct = {
      ...{ type: "run.completed" as const, workspaceId: HERE, url: "https://example.com:8443/secret/path" },
      ...{
        headers: { Authorization: "Bearer t" },
        body: { run_id: "r", status: "success", values: { a: 1 } },
      },
    };
    const big = {
      ...direct,
      headers: undefined,
      body: { run_id: "r", values: { text: "x".repeat(300_000) } },
    };
    await db.write((tx) => outbox.enqueue(tx, [direct, big]));
    const [first, second] = await claim();
    expect(first).toMatchObject({
      type: "run.completed",
      subscription_id: null,
      to: { url: direct.url },
      headers: direct.headers,
      body: JSON.stringify(direct.body),
    });
    const kept = await db.read.selectFrom("deliveries").select(["headers", "lane"]).execute();
    expect(JSON.stringify(kept)).not.toContain("Bearer");
    expect(kept[0]?.lane).toBe("url:example.com:8443");
    expect(second).toMatchObject({ headers: {} });
    expect(JSON.parse(second?.body ?? "")).toMatchObject({ run_id: "r", values: { __cut__: 300_011 } });
  });

  test("an example goes to whoever asks for it, whatever it subscribed to, and says nowhere that it is one", async () => {
    const { subscribe, outbox, events, subscriptions } = await startIssueStore(open);
    const id = await subscribe({ ...EVERYTHING, event_types: ["issue.trace.added"], severity_threshold: 0 });
    const delivery = await outbox.test(HERE, id);
    expect(delivery).toMatchObject({ test: true, type: "issue.created", state: "queued", issue_id: null });
    const [body] = await events(id);
    expect(body).toMatchObject({ type: "issue.created", data: { object: { session_name: "agent" } } });
    expect(Object.keys(body)).toEqual(["id", "type", "created", "request_id", "data"]);
    await subscriptions.disable(HERE, id);
    expect(await outcome(outbox.test(HERE, id))).toThrow("enable it first");
  });
});
