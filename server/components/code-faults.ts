type Position = { file: string; line: number; column: number };

/** Faults of one file's syntax that are told; the first one usually makes the others. */
const MOST_FAULTS = 3;

/**
 * What the runtime and its bundler say of modules that they cannot read, with the place of each; none for other
 * failures.
 * @param shown makes of an absolute path what is told
 */
export function codeFaults(cause: unknown, shown = (file: string) => file): string[] {
  const faults: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  const told = faults.flatMap((fault) => {
    if (typeof fault !== "object" || fault === null || !("position" in fault)) return [];
    const { message, position } = fault as { message?: string; position: Position | null };
    if (!position) return [];
    // What a plugin of ours says is of the whole file.
    const place = position.line > 0 ? `:${position.line}:${position.column}` : "";
    return [`${shown(position.file)}${place}: ${message}`];
  });
  return told.slice(0, MOST_FAULTS);
}
