export * from "./assistant.ts";
export * from "./cron.ts";
export * from "./graph.ts";
export * from "./item.ts";
export * from "./run.ts";
export * from "./server.ts";
export * from "./state.ts";
export * from "./thread.ts";
