export { type Job, Loop } from "./loop.ts";
export { readTypesInTime } from "./types-in-time.ts";
