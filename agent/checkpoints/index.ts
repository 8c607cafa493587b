export { DraftCheckpoints } from "./draft-checkpoints.ts";
export { VolatileCheckpoints } from "./volatile-checkpoints.ts";
