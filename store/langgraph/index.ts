export { Checkpoints, type CheckpointsOptions } from "./checkpoints.ts";
export { ItemsStore } from "./items-store.ts";
export { hasSendsChannel, sendsOf, withSends } from "./sends.ts";
export type { CheckpointInLanguage } from "./tuples.ts";
