import { format } from "node:util";
import { callerOf } from "./sdk-logger.ts";

/** The methods of the console, and the level of each in the log. */
const LEVELS = { error: "error", warn: "warning", log: "info", info: "info", debug: "debug" } as const;

type Method = keyof typeof LEVELS;

/** Those that say how serious something is. */
const SERIOUS: readonly Method[] = ["error", "warn"];

/**
 * Gives what a project's graphs print with the console its level, as a line of the log with the run that said it. For a
 * process whose output somebody reads into a log: on a terminal people see what was printed.
 * @param all whether every line is one of the log; else only what is an error or a warning
 * @param write takes a whole line at once, so that it stays in order with what is printed beside it
 */
export function levelConsole(all: boolean, write = (line: string) => void process.stdout.write(line)): void {
  for (const method of all ? (Object.keys(LEVELS) as Method[]) : SERIOUS)
    console[method] = (...said: unknown[]) => {
      const line = {
        ...{ time: new Date().toISOString(), level: LEVELS[method], area: "graph" },
        message: format(...said),
      };
      write(`${JSON.stringify({ ...line, ...callerOf() })}\n`);
    };
}
