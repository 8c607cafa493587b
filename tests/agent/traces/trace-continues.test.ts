import { afterEach, beforeEach, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE, Sessions, systemClock, Traces } from "@berth/store";
import { eventually, openRunsRig, startRun } from "../runs/runs-rig.ts";
import { named, traceOf } from "./traces-rig.ts";

let rig: Awaited<ReturnType<typeof openRunsRig>>;

beforeEach(async () => {
  rig = await openRunsRig();
});

afterEach(async () => {
  await rig.close();
});

test("a run that lasts is seen while it does, and after a crash its trace goes on", async () => {
  const first = await rig.openAgent({ tracing: {} });
  const run = await startRun(first.agent, "steps", { total: 40, pause: 50 });
  const traces = new Traces(first.db, systemClock);
  rig.advance(600);
  const seen = () => traces.get(DEFAULT_WORKSPACE.id, run.run_id).catch(() => undefined);
  await eventually("it is seen", async () => (await seen())?.trace.status === "pending");
  // What a process that is gone has left open.
  const session_id = (await seen())?.trace.session_id ?? "";
  const lost = { id: Bun.randomUUIDv7(), trace_id: run.run_id, session_id, parent_id: run.run_id };
  await traces.write([{ ...lost, name: "lost", start_time: rig.now(), status: "pending" }]);
  rig.advance(rig.leaseMs + 1);
  const second = await rig.openAgent({ tracing: {} });
  await second.agent.queue.once(rig.now());
  const { trace, spans } = await traceOf(second.db, run);
  expect(trace).toMatchObject({ status: "success", metadata: { attempt: 2 } });
  expect(named(spans, "lost").status).toBe("interrupted");
  await eventually("nothing is open", async () =>
    ((await seen())?.spans ?? []).every(({ status }) => status !== "pending"),
  );
});

test("without tracing nothing is written, and a run that waits in a stopping process is", async () => {
  const untraced = await rig.openAgent();
  const quiet = await startRun(untraced.agent, "steps", { total: 1, pause: 1 });
  await untraced.agent.queue.result(quiet);
  await untraced.agent.queue.stop(1_000);
  const traced = await rig.openAgent({ tracing: { session: "of mine" } });
  const projects = () =>
    new Sessions(traced.db, systemClock).list(DEFAULT_WORKSPACE.id, {}, { limit: 10, offset: 0 });
  const before = await projects();
  const run = await startRun(traced.agent, "steps", { total: 1, pause: 1 });
  await traced.agent.queue.result(run);
  // Written when the process stops, at the latest.
  await traced.agent.queue.stop(1_000);
  const { rows } = await new Traces(traced.db, systemClock).search(DEFAULT_WORKSPACE.id, { limit: 10 });
  expect(rows.map(({ id }) => id)).toEqual([run.run_id]);
  // It was there before the first run.
  expect(before.map(({ id, name }) => ({ id, name }))).toEqual([
    { id: rows[0]?.session_id ?? "", name: "of mine" },
  ]);
  expect((await projects()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});
