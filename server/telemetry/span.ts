import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

/** A span as it is exported. */
export type ExportedSpan = {
  name: string;
  kind: "internal" | "server" | "client";
  context: SpanContext;
  parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** What is undefined is left out. */
  attributes: Readonly<Record<string, string | number | boolean | string[] | undefined>>;
  /** Why it failed; undefined where it did not. */
  failure?: string | undefined;
};

/** Which span it is, and of which trace (W3C Trace Context). */
export type SpanContext = Readonly<{
  traceId: string;
  spanId: string;
  /** Whether it is exported, which the one who began the trace decides for all. */
  isSampled: boolean;
}>;

/** The request that the code that is running now answers. */
export const asked = new AsyncLocalStorage<SpanContext>();

const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The span that a `traceparent` header names; undefined for one that is none. */
export function readTraceparent(header: string | null): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] = FORM.exec(header?.trim() ?? "") ?? [];
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparentOf({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** A span below another one, or the first of a trace. */
export function spanBelow(parent: SpanContext | undefined, sampled: number): SpanContext {
  const spanId = randomBytes(8).toString("hex");
  if (parent) return { ...parent, spanId };
  const traceId = randomBytes(16).toString("hex");
  return { traceId, spanId, isSampled: isSampled(traceId, sampled) };
}

/** Decided by the id alone, so that every process that has a part in a trace comes to the same. */
export function isSampled(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < share * 0x1_0000_0000;
}
