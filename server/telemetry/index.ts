export { processReadings } from "./process-readings.ts";
export { runReadings, scanReadings } from "./run-readings.ts";
