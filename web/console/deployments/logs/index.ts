export { LogLines } from "./log-lines.tsx";
export { LogsTab } from "./logs-tab.tsx";
export { useLog } from "./use-log.ts";
