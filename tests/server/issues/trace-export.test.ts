import { afterAll, beforeAll, expect, test } from "bun:test";
import { turnsDuring } from "../turns.ts";
import { openIssueRig, type Rig } from "./rig.ts";

const TRACES = 800;
/** Of inputs and outputs of each trace: what takes time is to read and to encode them. */
const BODY = JSON.stringify({ text: "x".repeat(10_000) });
/** An export of so many traces takes 0.5 s, in slices of 8 ms. */
const LEAST_TURNS = 15;

let rig: Rig;

beforeAll(async () => {
  rig = await openIssueRig();
  const session = await rig.sessions.ensure(rig.workspaceId, "shop");
  const times = { start_time: rig.clock.now(), end_time: rig.clock.now() + 5, status: "success" as const };
  await rig.traces.write(
    Array.from({ length: TRACES }, () => {
      const id = Bun.randomUUIDv7();
      return { id, trace_id: id, session_id: session.id, name: "r", inputs: BODY, outputs: BODY, ...times };
    }),
  );
});

afterAll(() => rig.close());

test("an export of many traces leaves the event loop time for requests", async () => {
  const { turns, result } = await turnsDuring(() => rig.get("/v1/traces/export?format=json"));
  expect(result.body).toHaveLength(TRACES);
  expect(turns).toBeGreaterThan(LEAST_TURNS);
});
