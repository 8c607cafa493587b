export { scanReadings } from "./readings.ts";
export type { RequestSpans } from "./request-spans.ts";
export { openTelemetry } from "./telemetry.ts";
