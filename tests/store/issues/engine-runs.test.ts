import { expect, test } from "bun:test";
import { type EngineRuns, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startIssueStore } from "./issue-store.ts";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The scan, by a process that has room for it. */
async function claimed(engineRuns: EngineRuns, sessionId: string, until: number, owner = "p1") {
  const scan = await engineRuns.claim(sessionId, { owner, until });
  if (!scan) throw new Error("somebody scans already");
  return scan;
}

everyStore("engine runs", (open) => {
  test("a project is scanned by one at a time", async () => {
    const { engineRuns, session, sessions, clock } = await startIssueStore(open);
    const lease = { owner: "p1", until: clock.now() + 1_000 };
    const both = await Promise.all([
      engineRuns.claim(session.id, lease),
      engineRuns.claim(session.id, { ...lease, owner: "p2" }),
    ]);
    const [scan] = both.filter((one) => one !== undefined);
    if (!scan) throw new Error("nobody scans");
    expect(both.filter((one) => one === undefined)).toHaveLength(1);
    expect([scan.run.thread_id, scan.run.run_id]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(UUID),
    ]);
    const other = await sessions.ensure(HERE, "other");
    expect((await claimed(engineRuns, other.id, lease.until)).run).toMatchObject({
      ...{ session_id: other.id, status: "running" },
    });
    expect(await engineRuns.finish(scan.hold)).toBe(true);
    expect(await engineRuns.finish(scan.hold)).toBe(false);
    expect(await engineRuns.claim(session.id, lease)).toBeDefined();
    expect(await outcome(engineRuns.claim(crypto.randomUUID(), lease))).toThrow(NotFound);
  });

  test("one that was left behind goes on under its ids, and its first process writes nothing more", async () => {
    const { engineRuns, session, clock, events, subscribe } = await startIssueStore(open);
    await subscribe({ severity_threshold: 0 });
    const dead = await claimed(engineRuns, session.id, clock.now() + 1_000);
    clock.advance(500);
    expect(await engineRuns.renew(dead.hold, clock.now() + 1_000)).toBe(true);
    clock.advance(999);
    expect(await engineRuns.lapsed()).toEqual([]);
    expect(await engineRuns.claim(session.id, { owner: "p2", until: 0 })).toBeUndefined();
    clock.advance(1);
    expect(await engineRuns.lapsed()).toEqual([session.id]);
    const next = await claimed(engineRuns, session.id, clock.now() + 1_000, "p2");
    expect(next.run).toEqual(dead.run);
    expect(next.hold).toEqual({ id: dead.run.id, owner: "p2", attempt: 2 });
    expect(await engineRuns.renew(dead.hold, clock.now())).toBe(false);
    expect(await engineRuns.finish(dead.hold)).toBe(false);
    expect(await engineRuns.failed(dead.hold, { status: "error", errorMessage: "late" })).toBe(false);
    expect(await engineRuns.finish(next.hold)).toBe(true);
    expect(await events()).toEqual([]);
  });

  test("one that was handed back goes on at once, and that attempt does not count", async () => {
    const { engineRuns, session, clock } = await startIssueStore(open);
    const first = await claimed(engineRuns, session.id, clock.now() + 1_000);
    await engineRuns.release(first.hold);
    expect(await engineRuns.get(HERE, first.run.id)).toMatchObject({ status: "running" });
    expect((await claimed(engineRuns, session.id, clock.now() + 1_000, "p2")).hold.attempt).toBe(1);
    expect(await engineRuns.finish(first.hold)).toBe(false);
  });

  test("one that is left behind at every attempt fails, and the subscribers hear of it", async () => {
    const { engineRuns, session, subscribe, events, clock } = await startIssueStore(open);
    await subscribe({ severity_threshold: 0 });
    const { run } = await claimed(engineRuns, session.id, clock.now());
    for (const attempt of [2, 3])
      expect((await claimed(engineRuns, session.id, clock.now())).hold.attempt).toBe(attempt);
    expect(await engineRuns.claim(session.id, { owner: "p1", until: clock.now() })).toBeUndefined();
    const error_message = "The process that scanned did not come back.";
    expect(await engineRuns.get(HERE, run.id)).toMatchObject({ status: "timeout", error_message });
    expect(await events()).toMatchObject([
      { type: "issue.agent_run.failed", data: { object: { thread_id: run.thread_id, run_id: run.run_id } } },
    ]);
    expect((await claimed(engineRuns, session.id, clock.now())).run.id).not.toBe(run.id);
  });

  test("a failure is told exactly so", async () => {
    const { engineRuns, session, subscribe, events, clock, outbox } = await startIssueStore(open);
    await subscribe({ severity_threshold: 0 });
    let rung = 0;
    outbox.onRing(() => rung++);
    const { run, hold } = await claimed(engineRuns, session.id, clock.now() + 1_000);
    clock.advance(250);
    await engineRuns.failed(hold, { status: "error", errorMessage: "no such column" });
    expect(await engineRuns.failed(hold, { status: "error", errorMessage: "again" })).toBe(false);
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
            thread_id: run.thread_id,
            run_id: run.run_id,
            status: "error",
            error_message: "no such column",
            occurred_at: new Date(clock.now()).toISOString(),
          },
        },
      }),
    );
  });

  test("what is unavailable is left out of it", async () => {
    const { engineRuns, session, subscribe, events, clock, db } = await startIssueStore(open);
    await subscribe();
    const { hold } = await claimed(engineRuns, session.id, clock.now() + 1_000);
    // As one of 0.1.0 may be.
    await db.write((tx) => tx.updateTable("engine_runs").set({ run_id: null }).execute());
    await engineRuns.failed(hold, { status: "timeout", errorMessage: null });
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
