import { appendFileSync } from "node:fs";

/** Where this is: a thread beside the one that answers requests, a process of its own, or that one itself. */
const where = { pid: process.pid, main: Bun.isMainThread };

/** Notes where a part of the project was loaded. */
export function loaded(part: string): typeof where {
  appendFileSync(String(process.env.LOADED), `${JSON.stringify({ part, ...where })}\n`);
  return where;
}
