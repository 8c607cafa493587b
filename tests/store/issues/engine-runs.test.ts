import { expect, test } from "bun:test";
import { NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startIssueStore } from "./issue-store.ts";

everyStore("engine runs", (open) => {
  test("a project is scanned by one at a time", async () => {
    const { engineRuns, session, sessions } = await startIssueStore(open);
    const of = { threadId: "t", leaseMs: 1_000 };
    const begun = await Promise.all([engineRuns.begin(session.id, of), engineRuns.begin(session.id, of)]);
    const [run] = begun.filter((one) => one !== undefined);
    expect(begun.filter((one) => one === undefined)).toHaveLength(1);
    const other = await sessions.ensure(HERE, "other");
    expect(await engineRuns.begin(other.id, of)).toMatchObject({ session_id: other.id, status: "running" });
    expect(await engineRuns.finish(run?.id ?? "")).toBe(true);
    expect(await engineRuns.finish(run?.id ?? "")).toBe(false);
    expect(await engineRuns.begin(session.id, of)).toBeDefined();
    expect(await outcome(engineRuns.begin(crypto.randomUUID(), of))).toThrow(NotFound);
  });

  test("one that was left behind fails when the next begins, and the subscribers hear of it", async () => {
    const { engineRuns, session, subscribe, events, clock } = await startIssueStore(open);
    await subscribe({ severity_threshold: 0 });
    const dead = await engineRuns.begin(session.id, { threadId: "t1", leaseMs: 1_000 });
    clock.advance(500);
    expect(await engineRuns.renew(dead?.id ?? "", { leaseMs: 1_000, runId: "r1" })).toBe(true);
    clock.advance(999);
    expect(await engineRuns.begin(session.id, { threadId: "t2", leaseMs: 1_000 })).toBeUndefined();
    clock.advance(1);
    expect(await engineRuns.begin(session.id, { threadId: "t2", leaseMs: 1_000 })).toBeDefined();
    expect(await engineRuns.get(HERE, dead?.id ?? "")).toMatchObject({ status: "timeout", run_id: "r1" });
    expect(await engineRuns.renew(dead?.id ?? "", { leaseMs: 1_000 })).toBe(false);
    expect(await events()).toMatchObject([
      { type: "issue.agent_run.failed", data: { object: { run_id: "r1" } } },
    ]);
  });

  test("a failure is told exactly so", async () => {
    const { engineRuns, session, subscribe, events, clock, outbox } = await startIssueStore(open);
    await subscribe({ severity_threshold: 0 });
    let rung = 0;
    outbox.onRing(() => rung++);
    const run = await engineRuns.begin(session.id, { threadId: "thread-1", runId: "run-1", leaseMs: 1_000 });
    clock.advance(250);
    await engineRuns.failed(run?.id ?? "", { status: "error", errorMessage: "no such column" });
    expect(await engineRuns.failed(run?.id ?? "", { status: "error", errorMessage: "again" })).toBe(false);
    expect(rung).toBeGreaterThan(0);
    const [body] = await events();
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        id: body.id,
        type: "issue.agent_run.failed",
        created: Math.floor(clock.now() / 1000),
        request_id: body.request_id,
        data: {
          object: {
            tenant_id: HERE,
            tenant_name: "default",
            session_id: session.id,
            session_name: "agent",
            url: `https://berth.test/console/sessions/${session.id}`,
            thread_id: "thread-1",
            run_id: "run-1",
            status: "error",
            error_message: "no such column",
            occurred_at: new Date(clock.now()).toISOString(),
          },
        },
      }),
    );
  });

  test("what is unavailable is left out of it", async () => {
    const { engineRuns, session, subscribe, events } = await startIssueStore(open);
    await subscribe();
    const run = await engineRuns.begin(session.id, { threadId: "t", leaseMs: 1_000 });
    await engineRuns.failed(run?.id ?? "", { status: "timeout", errorMessage: null });
    const [body] = await events();
    expect(Object.keys(body.data.object)).not.toContain("run_id");
    expect(Object.keys(body.data.object)).not.toContain("error_message");
    expect(body.data).not.toHaveProperty("trace");
  });

  test("they are listed newest first, each workspace its own, with what they did", async () => {
    const { engineRuns, opened, session } = await startIssueStore(open);
    await opened();
    const page = { limit: 10, offset: 0 };
    expect(await engineRuns.list(HERE, { sessionId: session.id }, page)).toMatchObject([
      { status: "success", scanned: 3, findings: 3, opened: 1, linked: 3, reopened: 0 },
    ]);
    expect(await engineRuns.list(HERE, { status: "error" }, page)).toEqual([]);
    expect(await engineRuns.list(ELSEWHERE, {}, page)).toEqual([]);
  });
});
