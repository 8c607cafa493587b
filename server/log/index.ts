export { jsonLineOf, logger, writeJsonLine } from "./log.ts";
export { startProcessLog, surviveStrays } from "./process-log.ts";
export { levelConsole, provideSdkLogger } from "./sdk-logger.ts";
