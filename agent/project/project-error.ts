/** A project cannot be served; the message is one line that names the file, the key and what is wrong. */
export class ProjectError extends Error {
  override name = "ProjectError";

  constructor(message: string, options?: ErrorOptions) {
    // Errors of a project's own modules may run over many lines; the log has the whole cause.
    super(message.replace(/\s*\n\s*/g, " "), options);
  }
}

/** The text of whatever a project's code threw. */
export function reason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
