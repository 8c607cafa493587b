import { plainText, type WholeTrace } from "@berth/store";

/** A trace whose errors are as people see them: colours and overrides tell nothing of what failed. */
export function plainTrace(whole: WholeTrace): WholeTrace {
  if (!whole.spans.some(({ error }) => error !== null)) return whole;
  const spans = whole.spans.map((span) =>
    span.error === null
      ? span
      : { ...span, error: { type: plainText(span.error.type), message: plainText(span.error.message) } },
  );
  return { ...whole, spans };
}
