import { expect, test } from "bun:test";
import { BadRequest, Conflict, LeaseLost, MUTED_FOREVER, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startIssueStore } from "./issue-store.ts";

const ALL = { limit: 100, offset: 0 };

everyStore("issues", (open) => {
  test("one opens at the third trace of a fingerprint, over several scans, and takes all three", async () => {
    const { run, scan, issues, session } = await startIssueStore(open);
    const first = await run({ thread_id: "t" });
    const second = await run({ thread_id: "t" });
    expect(await scan([first, second])).toEqual({ opened: [], linked: 0, reopened: [] });
    expect(await scan([first, first])).toMatchObject({ opened: [], linked: 0 });
    const third = await run();
    const { opened, linked } = await scan([third]);
    expect(linked).toBe(3);
    const [issue] = opened;
    expect(issue).toMatchObject({
      session_id: session.id,
      name: "ToolError",
      description: "3 runs",
      severity: 1,
      status: "open",
      trace_count: 3,
      fingerprints: [{ fingerprint: "f1", detector: "exception", node: "tools", tool: "search" }],
    });
    if (!issue) throw new Error("no issue was opened");
    expect(await issues.get(HERE, issue.id)).toEqual(issue);
    expect(await outcome(issues.get(ELSEWHERE, issue?.id ?? ""))).toThrow(NotFound);
    const traces = await issues.traces(HERE, issue?.id ?? "", ALL);
    expect(traces.map(({ trace_id }) => trace_id)).toEqual([third, second, first]);
    expect(traces[0]?.comment).toBe("The tool search raised ToolError.");
  });

  test("two fingerprints are two issues; the same traces once more change nothing", async () => {
    const { opened, scan, issues, events, subscribe } = await startIssueStore(open);
    await subscribe();
    const one = await opened();
    const other = await opened(4, { fingerprint: "f2", error_type: "TimeoutError" });
    const before = await events();
    expect(await scan(one.traceIds)).toEqual({ opened: [], linked: 0, reopened: [] });
    expect(await scan(other.traceIds, { fingerprint: "f2" })).toMatchObject({ linked: 0 });
    expect(await events()).toEqual(before);
    const names = (await issues.list(HERE, {}, ALL)).map(({ name, trace_count }) => [name, trace_count]);
    expect(names).toEqual([
      ["TimeoutError", 4],
      ["ToolError", 3],
    ]);
  });

  test("what the engine is told: how many runs, on how many threads, of how many", async () => {
    const { run, scan } = await startIssueStore(open);
    const ids = [await run({ thread_id: "a" }), await run({ thread_id: "a" }), await run(), await run()];
    await run();
    const seen: unknown[] = [];
    await scan(
      ids,
      {},
      {
        minTraces: 4,
        describe: (group) => {
          seen.push(group);
          return Promise.resolve({ name: "n".repeat(500), description: "d\0", severity: 9, cause: "c" });
        },
      },
    );
    expect(seen).toMatchObject([{ traces: 4, threads: 3, session_traces: 5, recent: 1, fingerprint: "f1" }]);
    expect((seen[0] as { sample: unknown[] }).sample).toHaveLength(4);
  });

  test("what describes an issue is made fit for keeping", async () => {
    const { run, scan } = await startIssueStore(open);
    const ids = [await run(), await run(), await run()];
    const { opened } = await scan(
      ids,
      {},
      {
        describe: () => ({ name: "n".repeat(500), description: "d\0", severity: 9, cause: "c" }),
      },
    );
    expect(opened).toMatchObject([{ description: "d", severity: 3, cause: "c" }]);
    expect(opened[0]?.name).toHaveLength(200);
  });

  test("a fixed one that comes back is opened again; one seen only before it was closed is not", async () => {
    const { opened, run, scan, issues, clock } = await startIssueStore(open);
    const { issue } = await opened();
    const before = await run();
    clock.advance(1);
    await issues.close(HERE, issue.id, "fixed");
    expect(await scan([before])).toMatchObject({ linked: 1, reopened: [] });
    expect(await issues.get(HERE, issue.id)).toMatchObject({ status: "closed", resolution: "fixed" });
    const { reopened, opened: none } = await scan([await run()]);
    expect(none).toEqual([]);
    expect(reopened).toMatchObject([{ id: issue.id, status: "open", resolution: null, trace_count: 5 }]);
  });

  test("what comes late of a run from before does not open a fixed one again", async () => {
    const { opened, run, scan, issues, clock } = await startIssueStore(open);
    const { issue } = await opened();
    const began = clock.now();
    clock.advance(1_000);
    await issues.close(HERE, issue.id, "fixed");
    const late = await run({ start_time: began, end_time: began + 5 });
    expect(await scan([late])).toMatchObject({ linked: 1, reopened: [] });
  });

  test.each(["wont_fix", "not_an_issue"] as const)(
    "one closed as %s stays closed, silently",
    async (resolution) => {
      const { opened, run, scan, issues, events, subscribe } = await startIssueStore(open);
      const { issue } = await opened();
      await issues.close(HERE, issue.id, resolution);
      await subscribe();
      expect(await scan([await run()])).toMatchObject({ linked: 1, reopened: [] });
      expect(await issues.get(HERE, issue.id)).toMatchObject({
        status: "closed",
        resolution,
        trace_count: 4,
      });
      expect(await events()).toEqual([]);
    },
  );

  test("a muted one is silent until its time is over", async () => {
    const { opened, run, scan, issues, events, subscribe, clock } = await startIssueStore(open);
    const { issue } = await opened();
    await subscribe();
    await issues.mute(HERE, issue.id, clock.now() + 1_000);
    await scan([await run()]);
    expect(await events()).toEqual([]);
    const muted = async (wanted: boolean) => (await issues.list(HERE, { muted: wanted }, ALL)).length;
    expect([await muted(true), await muted(false)]).toEqual([1, 0]);
    clock.advance(1_000);
    expect([await muted(true), await muted(false)]).toEqual([0, 1]);
    await scan([await run()]);
    expect(await events()).toHaveLength(1);
    expect(await issues.mute(HERE, issue.id, MUTED_FOREVER)).toMatchObject({ muted_until: MUTED_FOREVER });
    expect(await issues.mute(HERE, issue.id, null)).toMatchObject({ muted_until: null });
  });

  test("the engine changes the severity until a person has", async () => {
    const { opened, run, scan, issues } = await startIssueStore(open);
    const { issue } = await opened();
    const judge = () => ({ severity: 0, name: "Worse" });
    await scan([await run()], {}, { judge });
    expect(await issues.get(HERE, issue.id)).toMatchObject({ severity: 0, name: "Worse" });
    await issues.patch(HERE, issue.id, { severity: 3, name: "Mine" });
    await scan([await run()], {}, { judge });
    expect(await issues.get(HERE, issue.id)).toMatchObject({ severity: 3, name: "Mine", text_kept: true });
  });

  test("one of several fingerprints is as severe as the worst of them", async () => {
    const { opened, run, scan, issues } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    await issues.merge(HERE, one.issue.id, other.issue.id);
    const judge = ({ fingerprint }: { fingerprint: string }) => ({ severity: fingerprint === "f1" ? 0 : 3 });
    await scan([await run()], { fingerprint: "f1" }, { judge });
    expect((await issues.get(HERE, other.issue.id)).severity).toBe(0);
    await scan([await run()], { fingerprint: "f2" }, { judge });
    expect((await issues.get(HERE, other.issue.id)).severity).toBe(0);
  });

  test("a scan that is over writes nothing more", async () => {
    const { run, issues, engineRuns, session, traces, clock } = await startIssueStore(open);
    const ids = [await run(), await run(), await run()];
    const claimed = await engineRuns.claim(session.id, { owner: "p", until: clock.now() + 1_000 });
    const hold = claimed?.hold ?? { id: "", owner: "", attempt: 0 };
    await engineRuns.failed(hold, { status: "timeout", errorMessage: "too slow" });
    const findings = ids.map((trace) => ({
      ...{ fingerprint: "f1", version: 1, detector: "d", error_type: "E", node: null, tool: null },
      ...{ message: "m", reason: "r", run_id: trace, trace_id: trace },
    }));
    const scanned = (await traces.unscanned(session.id, 10)).map(({ trace }) => trace);
    const rules = { minTraces: 3, describe: () => ({ name: "n", description: "d", severity: 1 }) };
    const late = issues.recordFindings(session.id, { hold, findings, scanned }, rules);
    expect(await outcome(late)).toThrow(LeaseLost);
    expect(await issues.list(HERE, {}, ALL)).toEqual([]);
    expect(await traces.unscanned(session.id, 10)).toHaveLength(3);
  });

  test("a scan that died between finding and opening is made up for by the next", async () => {
    const { run, scan, issues } = await startIssueStore(open);
    const ids = [await run(), await run(), await run()];
    const dying = scan(
      ids,
      {},
      {
        describe: () => {
          throw new Error("killed");
        },
      },
    );
    expect(await outcome(dying)).toThrow("killed");
    expect(await issues.list(HERE, {}, ALL)).toEqual([]);
  });

  test("how often it was seen, by hour and by day", async () => {
    const { opened, issues, run, scan, clock } = await startIssueStore(open);
    const { issue } = await opened();
    clock.advance(26 * 3_600_000);
    await scan([await run()]);
    const hours = await issues.occurrences(HERE, issue.id, "hour");
    expect(hours).toHaveLength(48);
    expect(hours.filter(({ traces }) => traces > 0).map(({ traces }) => traces)).toEqual([3, 1]);
    expect(hours.at(-1)?.traces).toBe(1);
    const days = await issues.occurrences(HERE, issue.id, "day");
    expect(days).toHaveLength(30);
    expect(days.slice(-2).map(({ traces }) => traces)).toEqual([3, 1]);
  });

  test("on which revision it was seen, and in how many of its runs", async () => {
    const { issues, run, scan, clock } = await startIssueStore(open);
    const on = (revision_id?: string) => run({ metadata: revision_id ? { revision_id } : { other: 1 } });
    const before = await on();
    const since = clock.now();
    const old = [await on("r1"), await on("r1"), await on("r1")];
    const { opened } = await scan([before, ...old.slice(1)]);
    await on("r2");
    expect(await issues.byRevision(HERE, opened[0]?.id ?? "")).toEqual([
      { revision_id: null, revision_number: null, at: since, traces: 1, runs: 1 },
      { revision_id: "r1", revision_number: null, at: expect.any(Number), traces: 2, runs: 3 },
      { revision_id: "r2", revision_number: null, at: expect.any(Number), traces: 0, runs: 1 },
    ]);
    expect(await outcome(issues.byRevision(ELSEWHERE, opened[0]?.id ?? ""))).toThrow(NotFound);
  });

  test("lists the most severe, the most frequent or the last seen first, with how each goes", async () => {
    const { opened, issues, run, scan } = await startIssueStore(open);
    const one = await opened(5);
    const other = await opened(3, { fingerprint: "f2" });
    await issues.patch(HERE, other.issue.id, { severity: 0 });
    await scan([await run()]);
    const ids = async (order: "created_at" | "last_seen_at" | "severity" | "trace_count") =>
      (await issues.list(HERE, {}, { ...ALL, order })).map(({ id }) =>
        id === one.issue.id ? "one" : "other",
      );
    expect(await ids("created_at")).toEqual(["other", "one"]);
    expect(await ids("severity")).toEqual(["other", "one"]);
    expect(await ids("trace_count")).toEqual(["one", "other"]);
    expect(await ids("last_seen_at")).toEqual(["one", "other"]);
    const trends = await issues.trends([one.issue.id, other.issue.id], "hour");
    expect([...trends].map(([id, hours]) => [id, hours.length, hours.at(-1)?.traces])).toEqual([
      [one.issue.id, 48, 6],
      [other.issue.id, 48, 3],
    ]);
  });

  test("lists by project, status and severity", async () => {
    const { opened, issues, session } = await startIssueStore(open);
    const { issue } = await opened();
    await opened(3, { fingerprint: "f2" });
    await issues.close(HERE, issue.id, "fixed");
    const count = async (filter: Parameters<typeof issues.list>[1], workspace = HERE) =>
      (await issues.list(workspace, filter, ALL)).length;
    expect(await count({ sessionId: session.id })).toBe(2);
    expect(await count({ status: "open" })).toBe(1);
    expect(await count({ severity: 1 })).toBe(2);
    expect(await count({ severity: 0 })).toBe(0);
    expect(await count({}, ELSEWHERE)).toBe(0);
    expect(await issues.list(HERE, {}, { limit: 1, offset: 1 })).toMatchObject([{ id: issue.id }]);
  });

  test("they go with their project", async () => {
    const { opened, issues, sessions, session } = await startIssueStore(open);
    await opened();
    await sessions.delete(HERE, session.id);
    expect(await issues.list(HERE, {}, ALL)).toEqual([]);
  });

  test("findings and links are forgotten with time, the issue is not", async () => {
    const { opened, issues, clock, db } = await startIssueStore(open);
    const { issue } = await opened();
    const left = async () => ({
      findings: (await db.read.selectFrom("findings").selectAll().execute()).length,
      links: (await issues.traces(HERE, issue.id, ALL)).length,
      runs: (await db.read.selectFrom("engine_runs").selectAll().execute()).length,
    });
    await issues.sweep(14 * 86_400_000);
    expect(await left()).toEqual({ findings: 3, links: 3, runs: 1 });
    clock.advance(15 * 86_400_000);
    await issues.sweep(14 * 86_400_000);
    expect(await left()).toEqual({ findings: 0, links: 3, runs: 1 });
    clock.advance(90 * 86_400_000);
    await issues.sweep(14 * 86_400_000);
    expect(await left()).toEqual({ findings: 0, links: 0, runs: 0 });
    expect(await issues.get(HERE, issue.id)).toMatchObject({ trace_count: 3 });
  });
});

everyStore("issues that people regroup", (open) => {
  test("merged, the other one has all traces and fingerprints, and gets what comes", async () => {
    const { opened, issues, run, scan } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(4, { fingerprint: "f2" });
    // A trace that shows both.
    await scan([one.traceIds[0] ?? ""], { fingerprint: "f2" });
    const merged = await issues.merge(HERE, one.issue.id, other.issue.id);
    expect(merged).toMatchObject({
      id: other.issue.id,
      trace_count: 7,
      first_seen_at: one.issue.first_seen_at,
    });
    expect(merged.fingerprints.map(({ fingerprint }) => fingerprint).sort()).toEqual(["f1", "f2"]);
    expect(await issues.get(HERE, one.issue.id)).toMatchObject({
      status: "closed",
      merged_into: other.issue.id,
      trace_count: 0,
    });
    expect(await issues.list(HERE, {}, ALL)).toHaveLength(1);
    expect(await scan([await run()])).toMatchObject({ linked: 1, opened: [] });
    expect(await issues.get(HERE, other.issue.id)).toMatchObject({ trace_count: 8 });
    expect(await outcome(issues.reopen(HERE, one.issue.id))).toThrow(Conflict);
    expect(await outcome(issues.merge(HERE, other.issue.id, one.issue.id))).toThrow(Conflict);
    expect(await outcome(issues.merge(HERE, other.issue.id, other.issue.id))).toThrow(BadRequest);
    expect(await outcome(issues.merge(ELSEWHERE, other.issue.id, one.issue.id))).toThrow(NotFound);
  });

  test("split by fingerprints, each has the traces that show it", async () => {
    const { opened, issues, run, scan } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    await issues.merge(HERE, other.issue.id, one.issue.id);
    const both = await run();
    await scan([both]);
    await scan([both], { fingerprint: "f2" });
    expect(await outcome(issues.split(HERE, one.issue.id, { fingerprints: ["f1", "f2"] }))).toThrow(
      BadRequest,
    );
    expect(await outcome(issues.split(HERE, one.issue.id, { fingerprints: ["f3"] }))).toThrow(BadRequest);
    const split = await issues.split(HERE, one.issue.id, { fingerprints: ["f2"] }, { name: "Other" });
    expect(split).toMatchObject({ name: "Other", trace_count: 4, fingerprints: [{ fingerprint: "f2" }] });
    expect(await issues.get(HERE, one.issue.id)).toMatchObject({
      trace_count: 4,
      fingerprints: [{ fingerprint: "f1" }],
    });
    await scan([await run()], { fingerprint: "f2" });
    expect(await issues.get(HERE, split.id)).toMatchObject({ trace_count: 5 });
  });

  test("split by traces, a fingerprint goes along that none of the others shows", async () => {
    const { opened, issues } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    await issues.merge(HERE, other.issue.id, one.issue.id);
    const [first, ...rest] = other.traceIds;
    const some = await issues.split(HERE, one.issue.id, { traceIds: [first ?? ""] });
    expect(some).toMatchObject({ trace_count: 1, fingerprints: [] });
    const others = await issues.split(HERE, one.issue.id, { traceIds: rest });
    expect(others).toMatchObject({ trace_count: 2, fingerprints: [{ fingerprint: "f2" }] });
    expect(await issues.get(HERE, one.issue.id)).toMatchObject({ trace_count: 3 });
    expect(await outcome(issues.split(HERE, one.issue.id, { traceIds: one.traceIds }))).toThrow(BadRequest);
    expect(await outcome(issues.split(HERE, one.issue.id, { traceIds: rest }))).toThrow(BadRequest);
  });

  test("split by traces, a fingerprint stays with links that are older than what was found", async () => {
    const { opened, issues, clock } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    await issues.merge(HERE, other.issue.id, one.issue.id);
    clock.advance(15 * 86_400_000);
    await issues.sweep(14 * 86_400_000);
    const split = await issues.split(HERE, one.issue.id, { traceIds: other.traceIds.slice(0, 1) });
    expect(split.fingerprints).toEqual([]);
  });

  test("one of very many fingerprints hides none of another in a list", async () => {
    const { opened, issues, db } = await startIssueStore(open);
    const one = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    const [print] = await db.read.selectFrom("issue_fingerprints").selectAll().limit(1).execute();
    if (!print) throw new Error("no fingerprint");
    const more = Array.from({ length: 1_200 }, (_, at) => ({
      ...{ ...print, fingerprint: `many-${at}`, issue_id: one.issue.id },
    }));
    await db.write((tx) => tx.insertInto("issue_fingerprints").values(more).execute());
    const listed = await issues.list(HERE, {}, ALL);
    expect(listed.find(({ id }) => id === other.issue.id)?.fingerprints).toMatchObject([
      { fingerprint: "f2" },
    ]);
    expect(listed.find(({ id }) => id === one.issue.id)?.fingerprints).toHaveLength(100);
  });
});
