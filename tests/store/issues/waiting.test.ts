import { expect, test } from "bun:test";
import { everyStore } from "../every-store.ts";
import { ELSEWHERE, HERE, startIssueStore } from "./issue-store.ts";

const PAGE = { limit: 10, offset: 0 };

everyStore("failures that no issue has", (open) => {
  test("are listed once for each fingerprint, last seen first, and go when an issue opens", async () => {
    const { run, scan, issues, session } = await startIssueStore(open);
    await run();
    const failed = () => run({ status: "error" });
    const [one, two, three] = [await failed(), await failed(), await failed()];
    await scan([one, three]);
    await scan([two], { fingerprint: "f2", message: "Too Slow", tool: null });
    const first = await issues.waiting(HERE, PAGE);
    expect(first).toMatchObject({ total: 2, failedRuns: 3, failedRunsWithoutIssue: 3 });
    expect(first.rows).toMatchObject([
      { fingerprint: "f1", traces: 2, trace_id: three, tool: "search", session_id: session.id },
      { fingerprint: "f2", traces: 1, trace_id: two, message: "Too Slow" },
    ]);
    expect(first.rows[0]?.first_seen_at).toBeLessThan(first.rows[0]?.last_seen_at ?? 0);
    expect((await scan([await failed()])).opened).toHaveLength(1);
    const then = await issues.waiting(HERE, PAGE);
    expect(then).toMatchObject({ total: 1, failedRuns: 4, failedRunsWithoutIssue: 1 });
    expect(then.rows.map(({ fingerprint }) => fingerprint)).toEqual(["f2"]);
  });

  test("are found by their words, in any case and taken literally, a page at a time, in one workspace", async () => {
    const { run, scan, issues, session } = await startIssueStore(open);
    for (const fingerprint of ["a", "b", "c"])
      await scan([await run()], {
        fingerprint,
        message: `100% of ${fingerprint}`,
        tool: `Tool-${fingerprint}`,
      });
    const found = async (q: string) =>
      (await issues.waiting(HERE, { ...PAGE, q })).rows.map(({ fingerprint }) => fingerprint);
    expect(await found("tool-B")).toEqual(["b"]);
    expect(await found("100% OF")).toEqual(["c", "b", "a"]);
    expect(await found("1_0%")).toEqual([]);
    await scan([await run()], { fingerprint: "d", message: "Ärger mit Tür" });
    expect(await found("Ärger")).toEqual(["d"]);
    expect(await found("mit tür")).toEqual(["d"]);
    expect(await found("TOOLERROR")).toHaveLength(4);
    const second = await issues.waiting(HERE, { limit: 1, offset: 1, sessionId: session.id });
    expect([second.total, second.rows.map(({ fingerprint }) => fingerprint)]).toEqual([4, ["c"]]);
    expect(await issues.waiting(ELSEWHERE, { ...PAGE, sessionId: session.id })).toMatchObject({ total: 0 });
  });
});
