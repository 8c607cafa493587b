import type { RunWatch } from "@berth/agent";
import type { TelemetrySettings } from "../config.ts";
import type { Reading } from "../http/tally.ts";
import { logger } from "../log.ts";
import { ExportQueue, spanCounts } from "./export-queue.ts";
import { RequestSpans } from "./request-spans.ts";
import { RunSpans } from "./run-spans.ts";

/** What tells an OpenTelemetry collector of requests and runs; nothing of it is there where it is off. */
export type Telemetry = {
  requests: RequestSpans | undefined;
  runs: RunWatch | undefined;
  readings: Reading[];
  /** Sends what waits, for so long at most. */
  stop(limitMs: number): Promise<void>;
};

/** As long as a collector may take for a batch. */
const EXPORT_MS = 5_000;

/** Nothing is loaded before there is something to send. */
export function openTelemetry(settings: TelemetrySettings): Telemetry {
  const counts = spanCounts();
  const { tracesUrl: url } = settings;
  if (url === null)
    return { requests: undefined, runs: undefined, readings: [counts], stop: async () => undefined };
  const queue = new ExportQueue({
    open: async () => (await import("./exporter.ts")).openExporter(url, settings, EXPORT_MS),
    counts,
    log: logger("telemetry"),
  });
  const take: ExportQueue["take"] = (span) => queue.take(span);
  return {
    requests: new RequestSpans(take, settings.sampled),
    runs: new RunSpans(take, settings),
    readings: [counts],
    stop: (limitMs) => queue.stop(limitMs),
  };
}
