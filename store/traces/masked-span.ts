import { masked } from "../secrets/index.ts";
import type { SpanWrite } from "./trace.ts";

/** Of a longer text, only this beginning can be kept: bodies are cut at 32 KiB. */
const MOST_MASKED = 262_144;

const maskedStart = (text: string): string =>
  text.length > MOST_MASKED ? masked(text.slice(0, MOST_MASKED)) + text.slice(MOST_MASKED) : masked(text);

/** A span without credentials in its error, inputs, outputs, metadata and tags. */
export function maskedSpan(span: SpanWrite): SpanWrite {
  const { error, inputs, outputs, metadata, tags } = span;
  return {
    ...span,
    ...(error && { error: { ...error, message: maskedStart(error.message) } }),
    ...(inputs && { inputs: maskedStart(inputs) }),
    ...(outputs && { outputs: maskedStart(outputs) }),
    ...(metadata && { metadata: maskedMetadata(metadata) }),
    ...(tags && { tags: tags.map(masked) }),
  };
}

function maskedMetadata(metadata: NonNullable<SpanWrite["metadata"]>): NonNullable<SpanWrite["metadata"]> {
  const text = JSON.stringify(metadata);
  const safe = masked(text);
  return safe === text ? metadata : JSON.parse(safe);
}
