export * from "./feedback.ts";
export * from "./thread-summary.ts";
