import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { TelemetrySettings } from "../settings/index.ts";
import { VERSION } from "../version.ts";
import type { ExportedSpan, SpanContext } from "./span.ts";

type Exported = Parameters<OTLPTraceExporter["export"]>[0][number];
type Resource = Exported["resource"];

/** Sends spans; rejects when they did not arrive in time. */
export type Send = (spans: readonly ExportedSpan[]) => Promise<void>;

const KINDS = { internal: 0, server: 1, client: 2 } as const;
/** Of why a span failed. */
const MOST_WORDS = 300;

/** What sends spans to a collector, as OTLP over HTTP; tries again for as long as `timeoutMs` allows. */
export function openExporter(url: string, settings: TelemetrySettings, timeoutMs: number): Send {
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...settings.headers },
    timeoutMillis: timeoutMs,
    concurrencyLimit: 1,
  });
  const resource = resourceOf(settings);
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(
        spans.map((span) => exportedSpan(span, resource)),
        ({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error("not taken"))),
      );
    });
}

function resourceOf({ serviceName, resource: given }: TelemetrySettings): Resource {
  const attributes = {
    "service.version": VERSION,
    "process.pid": process.pid,
    ...given,
    "service.name": serviceName,
    "telemetry.sdk.name": "berth",
    "telemetry.sdk.language": "nodejs",
  };
  const resource: Resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

function exportedSpan(span: ExportedSpan, resource: Resource): Exported {
  const { name, kind, context, parent, startedAt, endedAt, attributes, failure } = span;
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    ...{ name, resource, kind: KINDS[kind], ended: true },
    spanContext: () => contextOf(context),
    ...(parent && { parentSpanContext: contextOf(parent) }),
    startTime: timeOf(startedAt),
    endTime: timeOf(Math.max(startedAt, endedAt)),
    duration: timeOf(Math.max(0, endedAt - startedAt)),
    attributes: Object.fromEntries(known),
    status: failure === undefined ? { code: 0 } : { code: 2, message: failure.slice(0, MOST_WORDS) },
    instrumentationScope: { name: "berth", version: VERSION },
    ...{ links: [], events: [] },
    ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
  };
}

const contextOf = ({ traceId, spanId, isSampled }: SpanContext) => ({
  ...{ traceId, spanId },
  traceFlags: isSampled ? 1 : 0,
});

/** Seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
