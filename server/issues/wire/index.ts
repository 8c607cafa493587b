export * from "./delivery.ts";
export * from "./engine-run.ts";
export * from "./failure.ts";
export * from "./grouping.ts";
export * from "./issue.ts";
export * from "./session.ts";
export * from "./subscription.ts";
export * from "./trace.ts";
