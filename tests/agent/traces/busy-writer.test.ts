import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_WORKSPACE, openDatabase, systemClock, Traces } from "@berth/store";
import { RunTrace } from "../../../agent/traces/run-trace.ts";
import { traceStore } from "../../../agent/traces/trace-store.ts";
import { TraceWriter } from "../../../agent/traces/trace-writer.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { standingClock, temporaryFolder } from "../../store/every-store.ts";

test("a run that lasts is seen while others keep the writer busy", async () => {
  const folder = temporaryFolder();
  const clock = standingClock();
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")), clock);
  const writer = new TraceWriter({
    store: traceStore(db, clock, { name: "busy" }),
    clock,
    log: () => undefined,
  });
  const run = () => {
    const root = { name: "agent", runType: "chain" as const, inputs: {} };
    const trace = new RunTrace(Bun.randomUUIDv7(), "t", root, writer);
    writer.follow(trace);
    return trace;
  };
  const lasting = run();
  clock.advance(600);
  run().close({ status: "success" });
  await writer.flush();
  const { trace } = await new Traces(db, clock).get(DEFAULT_WORKSPACE.id, lasting.id);
  expect(trace.status).toBe("pending");
  lasting.close({ status: "success" });
  await writer.flush();
  await db.close();
  rmSync(folder, { recursive: true });
});

test("what throws as it is read fails no run and takes no other trace with it", async () => {
  const folder = temporaryFolder();
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  const told: unknown[] = [];
  const log = (event: string, fields: Record<string, unknown>) => told.push([event, fields]);
  const writer = new TraceWriter({
    store: traceStore(db, systemClock, { name: "busy" }),
    clock: systemClock,
    log,
  });
  await writer.open();
  const thrower = {
    toJSON() {
      throw new Error("not to be read");
    },
  };
  const ids = [thrower, {}].map((inputs) => {
    const root = { name: "agent", runType: "chain" as const, inputs };
    const trace = new RunTrace(Bun.randomUUIDv7(), "t", root, writer);
    trace.close({ status: "success" });
    return trace.id;
  });
  await writer.flush();
  const traces = new Traces(db, systemClock);
  await expect(traces.get(DEFAULT_WORKSPACE.id, ids[0] ?? "")).rejects.toThrow("not found");
  expect((await traces.get(DEFAULT_WORKSPACE.id, ids[1] ?? "")).trace.status).toBe("success");
  expect(told).toEqual([["traces.dropped", { spans: 1 }]]);
  await db.close();
  rmSync(folder, { recursive: true });
});
