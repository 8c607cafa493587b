import { logger } from "./log.ts";

/**
 * A promise that a graph forgot, or a throw in its timer, must not take everybody else's runs along: it goes into the
 * log. For this thread only.
 * @returns takes that back
 */
export function surviveStrays(): () => void {
  const note = (error: unknown) => logger("process").error("stray error", { error });
  process.on("unhandledRejection", note).on("uncaughtException", note);
  return () => void process.off("unhandledRejection", note).off("uncaughtException", note);
}
