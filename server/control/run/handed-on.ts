import type { Settings, TelemetrySettings } from "../../settings/index.ts";
import type { Launch } from "./driver.ts";

/** Some of what Berth itself was told, for each deployed process; a secret of the same name beats it. */
export type HandOn = (launch: Pick<Launch, "deployment" | "revision">) => Record<string, string>;

export type HandedOn = Pick<
  Settings,
  "webhookAllow" | "webhookBackoffSeconds" | "tracesOutliveThreads" | "telemetry"
>;

/** What Berth hands on: where webhooks may go, and who is told of requests and runs. */
export function handOn({
  webhookAllow,
  webhookBackoffSeconds,
  tracesOutliveThreads,
  telemetry,
}: HandedOn): HandOn {
  const always = {
    ...(webhookAllow.length > 0 && { WEBHOOK_ALLOW: webhookAllow.join(",") }),
    ...(tracesOutliveThreads && { TRACES_OUTLIVE_THREADS: "true" }),
    WEBHOOK_BACKOFF: webhookBackoffSeconds.join(","),
  };
  return (launch) => ({ ...always, ...telemetryNames(telemetry, launch) });
}

function telemetryNames(
  { tracesUrl, headers, serviceName, resource, sampled, captureContent }: TelemetrySettings,
  { deployment, revision }: Pick<Launch, "deployment" | "revision">,
): Record<string, string> {
  if (tracesUrl === null) return {};
  const ids = { "berth.deployment.id": deployment.id, "berth.revision.id": revision.id };
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl,
    ...(Object.keys(headers).length > 0 && { OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairText(headers) }),
    OTEL_SERVICE_NAME: `${serviceName}-${deployment.name}`,
    OTEL_RESOURCE_ATTRIBUTES: pairText({ ...resource, ...ids }),
    OTEL_TRACES_SAMPLER_ARG: String(sampled),
    OTEL_CAPTURE_CONTENT: String(captureContent),
  };
}

const pairText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(",");
