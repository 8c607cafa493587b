import type { RunWatch } from "@berth/agent";
import { logger } from "../log/index.ts";
import type { Reading } from "../readings/index.ts";
import type { Settings, TelemetrySettings } from "../settings/index.ts";
import { ExportQueue, type SpanCounts, spanCounts } from "./export-queue.ts";
import { processReadings, runReadings } from "./readings.ts";
import { RequestSpans } from "./request-spans.ts";
import { RunSpans } from "./run-spans.ts";

/** What tells others how a process does. */
export type Telemetry = {
  /** Makes spans of requests, and of what runs do; only where a collector wants them. */
  requests: RequestSpans | undefined;
  runs: RunWatch | undefined;
  /** Hears of the lines that the agent writes into its log. */
  note(event: string, fields: Record<string, unknown>): void;
  /** For `/metrics`. */
  readings: Reading[];
  /** Sends what waits, for so long at most. */
  stop(limitMs: number): Promise<void>;
};

/** As long as a collector may take for a batch. */
const EXPORT_MS = 5_000;

/** Of OpenTelemetry nothing is loaded before there is something to send. */
export function openTelemetry({ telemetry, databaseFile }: Settings): Telemetry {
  const runs = runReadings();
  const counts = spanCounts();
  const queue = openQueue(telemetry, counts);
  const take: ExportQueue["take"] = (span) => queue?.take(span);
  return {
    requests: queue && new RequestSpans(take, telemetry.sampled),
    runs: queue && new RunSpans(take, telemetry),
    note: runs.note,
    readings: [...runs.readings, ...processReadings({ databaseFile }), counts],
    stop: async (limitMs) => queue?.stop(limitMs),
  };
}

function openQueue(settings: TelemetrySettings, counts: SpanCounts): ExportQueue | undefined {
  const { tracesUrl: url } = settings;
  if (url === null) return undefined;
  const open = async () => (await import("./exporter.ts")).openExporter(url, settings, EXPORT_MS);
  return new ExportQueue({ open, counts, log: logger("telemetry") });
}
