import { format } from "node:util";
import { callerOf } from "./sdk-logger.ts";

/** The methods of the console that say how serious something is, and the level of each in the log. */
const LEVELS = { error: "error", warn: "warning" } as const;

/**
 * Gives what a project's graphs print with `console.error` and `console.warn` its level, as a line of the log with the
 * run that said it. For a process whose output somebody reads into a log: on a terminal people see what was printed.
 * @param write takes a whole line at once, so that it stays in order with what is printed beside it
 */
export function levelConsole(write = (line: string) => void process.stdout.write(line)): void {
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, string][])
    console[method] = (...said: unknown[]) => {
      const line = { time: new Date().toISOString(), level, area: "graph", message: format(...said) };
      write(`${JSON.stringify({ ...line, ...callerOf() })}\n`);
    };
}
