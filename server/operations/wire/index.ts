export { ShownDoctor, type ShownFinding } from "./doctor.ts";
export { type ShownKeptKind, ShownRetention, ShownSweep } from "./retention.ts";
export { type ShownLease, ShownSystem } from "./system.ts";
