import { expect, test } from "bun:test";
import { everyStore } from "../every-store.ts";
import { startIssueStore } from "./issue-store.ts";

everyStore("affected runs", (open) => {
  test("the engine is told of no more affected runs than runs, also when traces are gone", async () => {
    const { run, scan, db } = await startIssueStore(open);
    const ids = [await run(), await run(), await run(), await run(), await run()];
    const seen: { session_traces: number; session_shown: number }[] = [];
    const describe = (group: (typeof seen)[number]) => {
      seen.push(group);
      return { name: "n", description: "d", severity: 1 as const };
    };
    await scan(ids.slice(0, 2));
    await db.write((tx) => tx.deleteFrom("traces").where("id", "in", ids.slice(0, 1)).execute());
    await scan(ids.slice(2), {}, { describe });
    expect(seen.map(({ session_traces, session_shown }) => [session_shown, session_traces])).toEqual([
      [5, 5],
    ]);
  });
});
