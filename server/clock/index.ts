export { fileJobs, runJobs, runPlaces, upkeepJobs } from "./agent-jobs.ts";
export { DueWork } from "./due-work.ts";
export { FreeRoom } from "./free-room.ts";
export { IdleMemory, idleMemory } from "./idle-memory.ts";
export { type Job, type JobSurroundings, Loop } from "./loop.ts";
export { readTypesInTime } from "./types-in-time.ts";
