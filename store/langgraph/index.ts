export { CheckpointSaver, type CheckpointSaverOptions, Checkpoints } from "./checkpoints.ts";
export { ItemsStore } from "./items-store.ts";
export { hasSendsChannel, sendsOf, withSends } from "./sends.ts";
export type { CheckpointInLanguage } from "./tuples.ts";
