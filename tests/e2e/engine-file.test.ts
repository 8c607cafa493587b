import { expect } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFile } from "../postgres/for-data.ts";
import { testUnless } from "../skips.ts";
import { start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { leaveOldEngine, OLD_SCAN } from "./issues/old-engine.ts";

/** The secrets of what is committed are sealed with this; the timer leaves its scan alone, and nothing is too old. */
const env = { SECRETS_KEY: "landed", ENGINE_INTERVAL: "0", TRACE_RETENTION_DAYS: "36500" };

testUnless(noFile)(
  "a scan that was under way in 0.1.0 goes on: nothing is missing or there twice, and its file is gone",
  async () => {
    const data = mkdtempSync(join(tmpdir(), "berth-engine-file-"));
    leaveOldEngine(data);
    const berth = await start({ data, env });
    const get = async (path: string) => (await fetch(berth.url + path)).json();
    const scan = await until(
      "the scan to end",
      async () => (await get("/v1/engine/runs")).resources[0],
      ({ status }) => status !== "running",
    );
    expect(scan).toMatchObject({ ...OLD_SCAN, status: "success", scanned: 12, opened: 3, linked: 12 });
    expect((await get("/v1/engine/runs")).resources).toHaveLength(1);

    const { resources: issues } = await get("/v1/issues");
    expect(issues.map(({ trace_count }: { trace_count: number }) => trace_count)).toEqual([4, 4, 4]);
    const { resources: deliveries } = await get("/v1/deliveries?limit=100");
    const bodies = await Promise.all(
      deliveries.map(async ({ id }: { id: string }) => JSON.parse((await get(`/v1/deliveries/${id}`)).body)),
    );
    const named = bodies.map(({ type, data }) => `${type} ${data.object.id} ${data.trace?.trace_id}`);
    expect([named.length, new Set(named).size]).toEqual([15, 15]);

    const again = await fetch(`${berth.url}/v1/engine/scan`, { method: "POST" });
    expect((await again.json()).resources).toEqual([]);
    expect(readdirSync(data).filter((name) => name.includes("engine"))).toEqual([]);
    await berth.stop();
    rmSync(data, { recursive: true });
  },
);
