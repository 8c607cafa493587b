import { type Read, secret } from "./setting.ts";
import { boolean, pairs, share, text, url } from "./setting-values.ts";

export function telemetry(read: Read) {
  const collector = read("OTEL_EXPORTER_OTLP_ENDPOINT", url, null, {
    means:
      "the address of a collector. Berth [exports](telemetry.md) requests and runs to `/v1/traces` below it, as OTLP over HTTP",
  });
  const whole = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url, null, {
    means: "the whole address, if it is not `/v1/traces` below the collector",
  });
  const exported = {
    headers:
      read(["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"], secret(pairs), null, {
        means: "headers of every export, for example a key of the collector",
      }) ?? {},
    serviceName: read("OTEL_SERVICE_NAME", text, "berth", {
      means: "the service name of these spans; for the spans of a deployment, Berth adds its name",
    }),
    resource:
      read("OTEL_RESOURCE_ATTRIBUTES", pairs, null, { means: "further attributes of every span" }) ?? {},
    /** From 0 to 1. */
    sampled: read("OTEL_TRACES_SAMPLER_ARG", share, 1, {
      means: "which share of the traces Berth exports, unless the caller's request decides it",
    }),
    captureContent: read("OTEL_CAPTURE_CONTENT", boolean, false, {
      means:
        "whether Berth also exports the inputs and outputs of graphs, models and tools. They may hold what people said",
    }),
  };
  const isOff = read("OTEL_SDK_DISABLED", boolean, false, { means: "`true` turns the export off" });
  /** Where spans go; null: nowhere. */
  const tracesUrl = isOff ? null : (whole ?? (collector && `${collector}/v1/traces`));
  return { telemetry: Object.freeze({ tracesUrl, ...exported }) };
}
