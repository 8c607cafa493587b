import { afterAll, beforeAll, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE, type NewTraceFeedback } from "@berth/store";
import { Ingest } from "../../../server/langsmith/ingest.ts";
import { turnsDuring } from "../turns.ts";
import { type IngestRig, openIngest } from "./rig.ts";

let rig: IngestRig;
beforeAll(async () => {
  rig = await openIngest();
});
afterAll(() => rig.close());

test("much feedback is written in several transactions, and only what came too early is tried again", async () => {
  const session = await rig.sessions.ensure(DEFAULT_WORKSPACE.id, "shop");
  const id = Bun.randomUUIDv7();
  await rig.traces.write([{ id, trace_id: id, session_id: session.id, name: "r", start_time: Date.now() }]);
  const sent: number[] = [];
  const traces = Object.assign(Object.create(rig.traces), {
    feedback: (workspaceId: string, entries: readonly NewTraceFeedback[]) => {
      sent.push(entries.length);
      return rig.traces.feedback(workspaceId, entries);
    },
  });
  const of = (run_id: string) => ({ id: Bun.randomUUIDv7(), run_id, trace_id: run_id, key: "k", score: 1 });
  const forms = [...Array.from({ length: 1_000 }, () => of(id)), of(Bun.randomUUIDv7())];
  const ingest = new Ingest({ sessions: rig.sessions, traces });
  const { turns, result } = await turnsDuring(() => ingest.feedback(DEFAULT_WORKSPACE.id, forms));
  // A trace keeps 200 entries; what is beyond that is not early.
  expect(result).toEqual({ written: 200, dropped: 801, reason: "The run of a feedback is not here" });
  expect(sent[0]).toBe(1_001);
  // On a slow machine the time for further tries is over before the first one.
  expect(sent.slice(1).filter((count) => count !== 1)).toEqual([]);
  expect(turns).toBeGreaterThan(40);
});
