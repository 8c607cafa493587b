export type { RequestSpans } from "./request-spans.ts";
export { scanReadings } from "./run-readings.ts";
export { openTelemetry } from "./telemetry.ts";
