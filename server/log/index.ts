export { jsonLineOf, logger, writeJsonLine } from "./log.ts";
export { type LogSettings, startProcessLog, surviveStrays } from "./process-log.ts";
export { levelConsole, provideSdkLogger } from "./sdk-logger.ts";
export { terminalText } from "./terminal-text.ts";
