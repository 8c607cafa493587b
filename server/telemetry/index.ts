export { processReadings } from "./process-readings.ts";
export type { RequestSpans } from "./request-spans.ts";
export { runReadings, scanReadings } from "./run-readings.ts";
export { openTelemetry, type Telemetry } from "./telemetry.ts";
