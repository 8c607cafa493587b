const own = process as unknown as { exit: unknown; reallyExit: unknown };
const { exit, reallyExit } = own;

/** Ends this process. Only Berth's own code has this: a project's may not (`foreign-exits.ts`). */
export function leave(code: number): never {
  // The one calls the other.
  for (const [name, value] of Object.entries({ exit, reallyExit }))
    Object.defineProperty(process, name, { value, configurable: true, writable: true });
  return process.exit(code);
}
