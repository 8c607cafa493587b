import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { normalise } from "../../../agent/engine/fingerprint/message.ts";
import { isSameAsBefore } from "../../../agent/engine/grouping.ts";
import { noFile } from "../../postgres/for-data.ts";
import { describeUnless } from "../../skips.ts";
import { openEngineRig } from "./engine-rig.ts";

/** A database of version 0.1.0, with an issue of three traces. */
const LANDED = join(import.meta.dir, "../../store/landed/0014-cron-permissions.sql");
const [SESSION, ISSUE] = ["01a20169-3006-75fe-b491-1ccf618b2cb5", "01a20169-302f-7771-b993-a403c044d0bf"];
const answered = { tool: "search", type: "ToolError", message: "no answer" };

async function landed(work: (rig: Awaited<ReturnType<typeof openEngineRig>>) => Promise<void>) {
  const rig = await openEngineRig(readFileSync(LANDED, "utf8"));
  rig.clock.advance(Math.max(0, 1_790_000_000_000 - rig.clock.now()));
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
}

describeUnless(noFile)("an issue of version 0.1.0", () => {
  test("keeps its id, its state and its links, and gets the traces that come", () =>
    landed(async (rig) => {
      const before = await rig.issues.get(rig.workspaceId, ISSUE);
      const { engine } = await rig.openEngine();
      await rig.leave(SESSION, {
        ...answered,
        metadata: { error_stack: "    at search (/srv/app/src/search.ts:4:9)" },
      });
      await rig.leave(SESSION, { ...answered, message: "something else" });
      await engine.scan({ workspaceId: rig.workspaceId, sessionId: SESSION });
      const after = await rig.issues.get(rig.workspaceId, ISSUE);
      expect(after).toMatchObject({ status: before.status, created_at: before.created_at, trace_count: 4 });
      const prints = after.fingerprints.map(({ version, thrown_at }) => [version, thrown_at] as const);
      expect(prints.sort(([, one], [, other]) => (other ?? "").localeCompare(one ?? ""))).toEqual([
        [2, "search (src/search.ts)"],
        [1, null],
      ]);
      const links = await rig.issues.traces(rig.workspaceId, ISSUE, { limit: 10, offset: 0 });
      expect(links).toHaveLength(4);
    }));

  test("is not said to be merged because it was taken over", () =>
    landed(async (rig) => {
      // The words of a model would stay.
      await rig.db.write((tx) => tx.updateTable("issues").set({ cause: null }).execute());
      const { engine } = await rig.openEngine();
      await rig.leave(SESSION, answered);
      await engine.scan({ workspaceId: rig.workspaceId, sessionId: SESSION });
      const { description } = await rig.issues.get(rig.workspaceId, ISSUE);
      expect(description).toContain("Why these are one issue");
      expect(description).not.toContain("Somebody merged it");
    }));

  test("that a person closed stays closed", () =>
    landed(async (rig) => {
      await rig.issues.close(rig.workspaceId, ISSUE, "wont_fix");
      const { engine } = await rig.openEngine({ minTraces: 1 });
      await rig.leave(SESSION, answered);
      await engine.scan({ workspaceId: rig.workspaceId, sessionId: SESSION });
      expect(await rig.issues.get(rig.workspaceId, ISSUE)).toMatchObject({
        status: "closed",
        trace_count: 4,
      });
      expect(await rig.issues.list(rig.workspaceId, {}, { limit: 10, offset: 0 })).toHaveLength(1);
    }));

  test("is not taken over by the same words from a second place", () =>
    landed(async (rig) => {
      const { engine } = await rig.openEngine({ minTraces: 1 });
      for (const place of ["search", "fetchPage"])
        await rig.leave(SESSION, {
          ...answered,
          metadata: { error_stack: `    at ${place} (/srv/app/src/search.ts:4:9)` },
        });
      await engine.scan({ workspaceId: rig.workspaceId, sessionId: SESSION });
      const counts = (await rig.issues.list(rig.workspaceId, {}, { limit: 10, offset: 0 })).map(
        (issue) => issue.trace_count,
      );
      expect(counts.sort()).toEqual([1, 4]);
    }));
});

test.each<[old: string, text: string, same: boolean]>([
  ["no order <n>", "no order 4711", true],
  ["no order <n>", "no customer 4711", false],
  ["<n> kg for CHF <n> is too much", "20 kg for CHF 1'400 is too much", true],
  ["<n> kg for CHF <n> is too much", "20 m for CHF 1'400 is too little", false],
  ["connect ECONNREFUSED <host>:5432", "connect ECONNREFUSED db.internal:5432", true],
  [
    "undefined is not an object (evaluating <value>)",
    "undefined is not an object (evaluating 'a.b[0].c')",
    true,
  ],
  ["GET <url> failed with status 503", "GET https://api.example/v1/x?id=3 failed with status 503", true],
  ["Missing required field 'email'", 'Missing required field "email"', true],
  ["Missing required field 'email'", 'Missing required field "name"', false],
])("%p of version 1 and %p are the same: %p", (message, text, same) => {
  const place = { error_type: "Error", node: null, tool: null };
  const finding = {
    ...{ ...place, ...normalise("Error", text), fingerprint: "f", version: 2, detector: "exception" },
    ...{ reason: "", run_id: "r", trace_id: "t" },
  };
  expect(isSameAsBefore({ ...place, message }, finding)).toBe(same);
});
