import { expect, test } from "bun:test";
import { firstWaiting, waitingRuns } from "@berth/store";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { pendingRuns, twoDatabases } from "./two-databases.ts";

describeUnless(withoutPostgres())("runs that wait on Postgres", () => {
  const { at } = twoDatabases();

  test("are told with what goes before them", async () => {
    const runs = await pendingRuns(at(0), 3);
    const first = await firstWaiting(at(0), 2);
    expect(first).toHaveLength(2);
    expect(runs.map(({ run_id }) => run_id)).toEqual(
      expect.arrayContaining(first.map(({ run_id }) => run_id)),
    );
    expect(first.map(({ isBehind, not_before }) => [isBehind, typeof not_before])).toEqual([
      [false, "number"],
      [false, "number"],
    ]);
    expect(await waitingRuns(at(0), Number.MAX_SAFE_INTEGER)).toMatchObject({ due: 3, behind: 0 });
  });
});
