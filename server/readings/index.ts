export { Counts, Timings } from "./counts.ts";
export {
  addDuration,
  bucketSeconds,
  type Durations,
  type Family,
  type Figure,
  noDurations,
  type Reading,
  type TimingReading,
} from "./tally.ts";
