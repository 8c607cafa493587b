export * from "./doctor.ts";
export * from "./retention.ts";
export * from "./system.ts";
