import { expect, test } from "bun:test";
import { join } from "node:path";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { until } from "./condition.ts";
import { servedBerth } from "./served-berth.ts";

type Panel = { title: string; targets?: { expr: string }[] };

const DOCS = join(import.meta.dir, "..", "..", "docs");
const berth = servedBerth();

/** What `/metrics` tells: its metrics by name with their types. */
async function typesOf(): Promise<Map<string, string>> {
  const text = await (await fetch(`${berth.url}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
}

const expressions = async (): Promise<{ title: string; expr: string }[]> => {
  const { panels }: { panels: Panel[] } = await Bun.file(join(DOCS, "grafana-dashboard.json")).json();
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
};

test("every metric that the dashboard draws is one that there is, asked as what it is", async () => {
  const types = await typesOf();
  const drawn = new Set<string>();
  for (const { title, expr } of await expressions()) {
    for (const [name] of expr.matchAll(/\b(?:berth|process)_\w+/g)) {
      const histogram = name.replace(/_bucket$/, "");
      const type = types.get(name) ?? types.get(histogram);
      expect({ title, name, type }).toEqual({ title, name, type: expect.any(String) });
      const isRate = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expr);
      expect({ title, name, type, isRate }).toEqual({ title, name, type, isRate: type !== "gauge" });
      drawn.add(histogram);
    }
  }
  expect([...types.keys()].filter((name) => !drawn.has(name))).toEqual([]);
});

test("every metric that the alert rules use is one that there is", async () => {
  const types = await typesOf();
  const rules = await Bun.file(join(DOCS, "prometheus-alerts.yml")).text();
  const used = [...rules.matchAll(/\bberth_\w+/g)].map(([name]) => name);
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((name) => !types.has(name))).toEqual([]);
});

test("every metric is explained, and none that there is not", async () => {
  const page = await Bun.file(join(DOCS, "telemetry.md")).text();
  const explained = [...page.matchAll(/^\| `((?:berth|process)_\w+)/gm)].map(([, name]) => name);
  expect(explained.sort()).toEqual([...(await typesOf()).keys()].sort());
});

test("what happened is counted", async () => {
  const metric = async (line: RegExp) => {
    const text = await (await fetch(`${berth.url}/metrics`)).text();
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const post = (path: string, body: object) =>
    fetch(berth.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const run = { assistant_id: "agent", input: { messages: [{ role: "user", content: "Hello" }] } };
  expect((await post("/runs/wait", run)).status).toBe(200);
  const counted = [
    /^berth_runs_total\{status="success"\} (\d+)$/m,
    /^berth_run_duration_seconds_count (\d+)$/m,
    /^berth_engine_scans_total\{status="success"\} (\d+)$/m,
    /^berth_engine_traces_scanned_total (\d+)$/m,
    /^berth_info\{version="[\d.]+"\} (\d+)$/m,
    ...(ON_POSTGRES ? [] : [/^berth_database_bytes\{file="main"\} (\d+)$/m]),
    /^process_resident_memory_bytes (\d+)$/m,
  ];
  // A run's trace is written a moment behind its answer: the first scan may come too early for it.
  for (const line of counted)
    await until(String(line), async () => {
      await post("/v1/engine/scan", {});
      return metric(line);
    });
});
