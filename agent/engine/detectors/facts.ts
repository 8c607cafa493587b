import type { Span } from "@berth/store";
import { isRecord } from "../../record.ts";
import type { Facts } from "../fingerprint/index.ts";
import type { Evidence } from "./evidence.ts";

const LONGEST_KEY = 200;

/**
 * What a span's metadata say of its error: written down by Berth where it ran the graph, or by whoever sent the trace.
 * A `fingerprint` in the metadata of the run is for all failures of the run.
 */
export function factsOf({ whole }: Evidence, { metadata }: Span): Facts {
  const { error_stack, error_code, error_status, error_cause, error_fingerprint } = metadata;
  return {
    stack: text(error_stack),
    code: text(error_code),
    status: typeof error_status === "number" ? error_status : undefined,
    causes: Array.isArray(error_cause) ? error_cause.filter(isRecord).map(causeOf) : undefined,
    fingerprint: keyOf(error_fingerprint) ?? keyOf(whole.trace.metadata.fingerprint),
  };
}

function causeOf({ type, message, code, stack }: Record<string, unknown>) {
  return {
    type: text(type) ?? "",
    message: text(message) ?? "",
    ...(typeof code === "string" && { code }),
    ...(typeof stack === "string" && { stack }),
  };
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function keyOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_KEY ? value : undefined;
}
