import { statSync } from "node:fs";
import { Counts, type Reading, Timings } from "../readings/index.ts";
import { VERSION } from "../version.ts";

/** What the process takes of its machine, for `/metrics`; under the names that Prometheus clients agree on. */
export function processReadings({ databaseFile }: { databaseFile: string | null }): Reading[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return [{ labels: {}, value: (user + system) / 1e6 }];
  };
  const databaseBytes = () =>
    (databaseFile === null ? [] : ["", "-wal"]).map((suffix) => ({
      labels: { file: suffix === "" ? "main" : "wal" },
      value: sizeOf(databaseFile + suffix),
    }));
  return [
    {
      name: "berth_info",
      help: "The version that runs",
      type: "gauge",
      labels: ["version"],
      samples: () => [{ labels: { version: VERSION }, value: 1 }],
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory",
      read: () => process.memoryUsage.rss(),
    },
    {
      name: "process_cpu_seconds_total",
      help: "Processor time used",
      type: "counter",
      labels: [],
      samples: cpuSeconds,
    },
    { name: "process_start_time_seconds", help: "When it started, since 1970", read: () => startedAt },
    {
      name: "berth_database_bytes",
      help: "Size of the database, and of what is not yet taken over into it",
      type: "gauge",
      labels: ["file"],
      samples: databaseBytes,
    },
  ];
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What runs come to, for `/metrics`: taken from the lines that the agent writes into its log. */
export function runReadings() {
  const ended = new Counts("berth_runs_total", "Attempts of runs that ended here, by how", ["status"]);
  const seconds = new Timings("berth_run_duration_seconds", "Time that attempts of runs took");
  const lapsed = new Counts("berth_runs_lapsed_total", "Runs whose process went silent");
  const readings: Reading[] = [ended, seconds, lapsed];
  return {
    readings,
    note(event: string, { status, ms }: Record<string, unknown>): void {
      if (event === "run.lapsed") lapsed.add({});
      if (event !== "run.ended" || typeof status !== "string") return;
      ended.add({ status });
      if (typeof ms === "number") seconds.add(ms / 1_000);
    },
  };
}

/** What the scans of the issue engine come to, in the same way. */
export function scanReadings() {
  const scans = new Counts("berth_engine_scans_total", "Scans for issues, by how they ended", ["status"]);
  const sums = {
    scanned: new Counts("berth_engine_traces_scanned_total", "Traces that were looked at"),
    unreadable: new Counts("berth_engine_traces_unreadable_total", "Traces that could not be read"),
    findings: new Counts("berth_engine_findings_total", "Findings in traces"),
    opened: new Counts("berth_engine_issues_opened_total", "Issues that were opened"),
    reopened: new Counts("berth_engine_issues_reopened_total", "Issues that came back"),
  };
  const readings: Reading[] = [scans, ...Object.values(sums)];
  return {
    readings,
    note(event: string, fields: Record<string, unknown>): void {
      if (event !== "engine.scanned" || typeof fields.status !== "string") return;
      scans.add({ status: fields.status });
      for (const [name, counts] of Object.entries(sums)) counts.add({}, Number(fields[name]) || 0);
    },
  };
}
