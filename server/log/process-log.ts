import type { Settings } from "../settings/index.ts";
import { startLog } from "./log.ts";

/** Sets the log of a process up as its settings say, before anything has something to tell. */
export function startProcessLog({
  logLevel: level,
  logFormat: format,
  serviceApiKey,
  gatewayToken,
  chatToken,
  telemetry,
}: Settings): void {
  const known = [serviceApiKey, gatewayToken, chatToken, ...Object.values(telemetry.headers)];
  startLog({ level, format, secrets: known.filter((secret) => secret !== null) });
}
