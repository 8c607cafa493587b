export { useLog } from "./log.ts";
export { LogLines } from "./log-lines.tsx";
export { LogsTab } from "./logs-tab.tsx";
