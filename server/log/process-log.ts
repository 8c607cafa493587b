import type { Settings } from "../settings/index.ts";
import { logger, startLog } from "./log.ts";

/** How a process logs, and what it never writes there. */
export type LogSettings = Pick<
  Settings,
  "logLevel" | "logFormat" | "secretPrefixes" | "serviceApiKey" | "gatewayToken" | "chatToken" | "telemetry"
> & {
  /** Absent in an executor, whose code is the project's. */
  proxySecret?: string | null;
};

/** Sets the log of a process up as its settings say, before anything has something to tell. */
export function startProcessLog({
  logLevel: level,
  logFormat: format,
  serviceApiKey,
  gatewayToken,
  proxySecret = null,
  chatToken,
  telemetry,
}: LogSettings): void {
  const known = [serviceApiKey, gatewayToken, proxySecret, chatToken, ...Object.values(telemetry.headers)];
  startLog({ level, format, secrets: known.filter((secret) => secret !== null) });
}

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
