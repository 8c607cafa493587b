import { expect, test } from "bun:test";
import { BadRequest, type Database, NotFound } from "@berth/store";
import { everyStore } from "../every-store.ts";
import { outcome } from "../outcome.ts";
import { ELSEWHERE, HERE, startIssueStore } from "./issue-store.ts";

type Tx = Parameters<Parameters<Database["write"]>[0]>[0];

const ALL = { limit: 100, offset: 0 };
const ADA = { key_id: "k", name: "ada" };

/** A revision of a deployment, as far as issues look at it. */
async function insertRevision(tx: Tx, revision: { id: string; number: number }): Promise<void> {
  const text = { workspace_id: HERE, deployment_id: "d", source: "internal_source", status: "DEPLOYED" };
  const json = { config: "{}", settings: "{}", secrets: "" };
  const times = { status_since: 0, created_at: 0, updated_at: 0 };
  const flags = { build_kept: 0, interrupt: 0, remote_reconciled: 0 };
  const row = { ...revision, ...text, ...json, ...times, ...flags };
  await tx
    .insertInto("revisions")
    .values(row as never)
    .execute();
}

everyStore("the life of an issue", (open) => {
  test("a fixed one that comes back is a regression: a mark, a line, and one event that says so", async () => {
    const { opened, run, scan, issues, events, subscribe, clock } = await startIssueStore(open);
    const { issue } = await opened();
    await subscribe();
    clock.advance(1);
    await issues.close(HERE, issue.id, "fixed", { by: ADA });
    const again = await run({ metadata: { revision_id: "r9" } });
    const { reopened } = await scan([again, await run()]);
    const regressed_at = clock.now();
    expect(reopened).toMatchObject([{ id: issue.id, status: "open", regressions: 1, regressed_at }]);
    const told = (await events()).map(({ type, data }) => ({ type, ...data }));
    expect(told.map(({ type }) => type)).toEqual(["issue.trace.added", "issue.trace.added"]);
    expect(told.map(({ trace, regression }) => [trace.trace_id === again, regression])).toEqual([
      [true, { count: 1, regressed_at: new Date(regressed_at).toISOString(), revision_id: "r9" }],
      [false, undefined],
    ]);
    expect(await issues.history(HERE, issue.id, ALL)).toMatchObject([
      {
        kind: "regressed",
        actor: "engine",
        by: null,
        detail: { trace_id: again, revision_id: "r9", count: 1 },
      },
      { kind: "closed", actor: "person", by: ADA, detail: { resolution: "fixed" } },
      { kind: "opened", actor: "engine", detail: { traces: 3 } },
    ]);
    expect(await outcome(issues.history(ELSEWHERE, issue.id, ALL))).toThrow(NotFound);
    await issues.reopen(HERE, issue.id);
    await issues.close(HERE, issue.id, "fixed");
    await scan([await run()]);
    expect(await issues.get(HERE, issue.id)).toMatchObject({ regressions: 2, status: "open" });
  });

  test("one fixed in the next revision stays closed, silently, until a later revision shows it", async () => {
    const { run, scan, issues, events, subscribe, clock } = await startIssueStore(open);
    const on = (revision_id?: string) => run({ metadata: revision_id ? { revision_id } : {} });
    const { opened } = await scan([await on("r1"), await on("r1"), await on("r2")]);
    const id = opened[0]?.id ?? "";
    await subscribe();
    clock.advance(1);
    const closed = await issues.close(HERE, id, "fixed", { inNextRevision: true });
    expect(closed).toMatchObject({ status: "closed", fixed_in_next_revision: true });
    expect(await scan([await on("r2"), await on("r1"), await on()])).toMatchObject({
      linked: 3,
      reopened: [],
    });
    expect(await events()).toEqual([]);
    const { reopened } = await scan([await on("r3")]);
    expect(reopened).toMatchObject([{ id, status: "open", fixed_in_next_revision: false, regressions: 1 }]);
    expect((await events()).map(({ data }) => data.regression.revision_id)).toEqual(["r3"]);
    expect((await issues.history(HERE, id, ALL)).map(({ kind, detail }) => [kind, detail])).toMatchObject([
      ["regressed", { revision_id: "r3" }],
      ["closed", { resolution: "fixed", in_next_revision: true }],
      ["opened", {}],
    ]);
  });

  test("of a deployment all its revisions are known, also one that has not run yet", async () => {
    const { sessions, run, scan, issues, db, events, subscribe } = await startIssueStore(open);
    const session = await sessions.ensure(HERE, "agent", { deploymentId: "d" });
    const revise = (id: string, number: number) => db.write((tx) => insertRevision(tx, { id, number }));
    await revise("r1", 1);
    await revise("r2", 2);
    const on = (revision_id: string) => run({ metadata: { revision_id } });
    const { opened } = await scan([await on("r1"), await on("r1"), await on("r1")]);
    const id = opened[0]?.id ?? "";
    await db.write((tx) =>
      tx.updateTable("sessions").set({ deployment_id: "d" }).where("id", "=", session.id).execute(),
    );
    await subscribe();
    await issues.close(HERE, id, "fixed", { inNextRevision: true });
    expect(await scan([await on("r2")])).toMatchObject({ linked: 1, reopened: [] });
    await revise("r3", 3);
    expect(await scan([await on("r3")])).toMatchObject({ reopened: [{ id }] });
    expect((await events()).map(({ data }) => data.regression.revision_number)).toEqual([3]);
    expect((await issues.figures(HERE, id)).last_revision).toEqual({ id: "r3", number: 3 });
  });

  test("where no run names a revision, none is the next", async () => {
    const { opened, issues } = await startIssueStore(open);
    const { issue } = await opened();
    const closed = issues.close(HERE, issue.id, "fixed", { inNextRevision: true });
    expect(await outcome(closed)).toThrow(BadRequest);
    expect(await issues.get(HERE, issue.id)).toMatchObject({ status: "open" });
  });

  test("its figures: the part of the runs, first and last revision, a recent and a typical run", async () => {
    const { run, scan, issues, db } = await startIssueStore(open);
    const revision = { id: "r2", number: 7 };
    await db.write((tx) => insertRevision(tx, revision));
    const took = (ms: number, revision_id?: string) =>
      run({ end_time: Date.UTC(2026, 0, 1) + ms, metadata: revision_id ? { revision_id } : {} });
    const ids = [await took(900), await took(10, "r1"), await took(500, "r2"), await took(501, "r2")];
    await run();
    const { opened } = await scan(ids);
    const figures = await issues.figures(HERE, opened[0]?.id ?? "");
    expect(figures).toMatchObject({
      ...{ runs: 5, shown: 4, handled: true },
      first_revision: { id: "r1", number: null },
      last_revision: revision,
      recent_trace: { trace_id: ids[3], run_id: ids[3] },
      typical_trace: { trace_id: ids[2] },
    });
  });

  test("open ones are judged again also when nothing is added, until a person or a model had a say", async () => {
    const { opened, run, scan, issues, clock } = await startIssueStore(open);
    const { issue } = await opened();
    const other = await opened(3, { fingerprint: "f2" });
    await issues.patch(HERE, other.issue.id, { name: "Mine", severity: 1 });
    const rules = {
      minTraces: 3,
      describe: () => ({ name: "", description: "", severity: 0 }),
      judge: ({ session_traces, session_shown }: { session_traces: number; session_shown: number }) => ({
        ...{ severity: session_shown / session_traces > 0.4 ? 0 : 2, why: `of ${session_traces}` },
        ...{ name: "Now", description: `${session_shown} of ${session_traces}` },
      }),
    };
    for (let i = 0; i < 10; i++) await run();
    clock.advance(1);
    expect(await issues.judgeAgain(issue.session_id, rules)).toBe(2);
    expect(await issues.get(HERE, issue.id)).toMatchObject({
      ...{ name: "Now", description: "3 of 16", severity: 2, severity_reason: "of 16" },
    });
    expect(await issues.get(HERE, other.issue.id)).toMatchObject({ name: "Mine", severity: 1 });
    const lines = async () =>
      (await issues.history(HERE, issue.id, ALL)).map(({ kind, detail }) => [kind, detail]);
    expect((await lines())[0]).toEqual(["severity", { from: 1, to: 2 }]);
    // Back again: nothing has happened.
    await scan([await run()], {}, { judge: () => ({ severity: 1 }) });
    expect((await lines()).map(([kind]) => kind)).toEqual(["opened"]);
  });

  test("a merge and a split are in the history of both, and both know their revisions", async () => {
    const { opened, run, scan, issues } = await startIssueStore(open);
    const one = await opened();
    const ids = [await run({ metadata: { revision_id: "r1" } }), await run(), await run()];
    const other = (await scan(ids, { fingerprint: "f2" })).opened[0];
    await issues.merge(HERE, other?.id ?? "", one.issue.id, ADA);
    expect((await issues.figures(HERE, one.issue.id)).first_revision).toEqual({ id: "r1", number: null });
    const split = await issues.split(HERE, one.issue.id, { fingerprints: ["f2"] }, {}, ADA);
    expect((await issues.figures(HERE, split.id)).first_revision).toEqual({ id: "r1", number: null });
    expect((await issues.figures(HERE, one.issue.id)).first_revision).toBeNull();
    const kinds = async (id: string) =>
      (await issues.history(HERE, id, ALL)).map(({ kind, by, detail }) => [kind, by, detail]);
    expect((await kinds(one.issue.id)).slice(0, 2)).toEqual([
      ["split", ADA, { into: split.id }],
      ["merged", ADA, { from: other?.id }],
    ]);
    expect(await kinds(split.id)).toEqual([["split", ADA, { from: one.issue.id }]]);
    expect((await kinds(other?.id ?? ""))[0]).toEqual(["merged", ADA, { into: one.issue.id }]);
  });

  test("control characters and overrides are in no title, text, reason or event", async () => {
    const { run, scan, issues, events, subscribe } = await startIssueStore(open);
    await subscribe();
    const evil = (text: string) => `\u001b[31m${text}\u202e\u200b\u0007`;
    const ids = [await run(), await run(), await run()];
    const found = { error_type: evil("Bad"), message: evil("boom"), reason: evil("why"), tool: evil("t") };
    const { opened } = await scan(ids, found, {
      describe: ({ message }) => ({ name: message, description: message, severity: 1, cause: message }),
    });
    expect(opened).toMatchObject([
      {
        ...{ name: "boom", description: "boom", cause: "boom" },
        fingerprints: [{ error_type: "Bad", message: "boom", reason: "why", tool: "t" }],
      },
    ]);
    const id = opened[0]?.id ?? "";
    await issues.patch(HERE, id, { name: evil("mine") });
    expect((await issues.get(HERE, id)).name).toBe("mine");
    expect((await issues.traces(HERE, id, ALL)).map(({ comment }) => comment)).toEqual(["why", "why", "why"]);
    expect(JSON.stringify(await events())).not.toMatch(/\\u001b|\u202e|\u200b|\\u0007/);
  });
});
