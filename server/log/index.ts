export { levelConsole } from "./console-levels.ts";
export { jsonLineOf, logger, writeJsonLine } from "./log.ts";
export { startProcessLog } from "./process-log.ts";
export { provideSdkLogger } from "./sdk-logger.ts";
export { surviveStrays } from "./strays.ts";
