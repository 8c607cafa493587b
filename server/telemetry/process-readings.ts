import { statSync } from "node:fs";
import type { Reading } from "../readings/index.ts";
import { VERSION } from "../version.ts";

/** What the process takes of its machine, for `/metrics`; under the names that Prometheus clients agree on. */
export function processReadings({ databaseFile }: { databaseFile: string }): Reading[] {
  const startedAt = Date.now() / 1_000 - process.uptime();
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return [{ labels: {}, value: (user + system) / 1e6 }];
  };
  const databaseBytes = () =>
    ["", "-wal"].map((suffix) => ({
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
