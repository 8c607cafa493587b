export { checkRoom } from "./disk-room.ts";
export { createOperations } from "./operations.ts";
export type {
  ShownDoctor,
  ShownFinding,
  ShownKeptKind,
  ShownLease,
  ShownRetention,
  ShownSweep,
  ShownSystem,
} from "./wire/index.ts";
