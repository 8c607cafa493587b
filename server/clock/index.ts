export { DueWork } from "./due-work.ts";
export { type Job, Loop, type Surroundings } from "./loop.ts";
export { readTypesInTime } from "./types-in-time.ts";
