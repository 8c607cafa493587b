import type { Span } from "@berth/server";

/** What each span says, in lower case: its name, its error, what went in and what came out. */
export function textsOf(spans: readonly Span[]): Map<string, string> {
  return new Map(
    spans.map(({ id, name, node, run_type, error, inputs, outputs, tags }) => [
      id,
      [name, node, run_type, error?.type, error?.message, ...tags, wordsIn(inputs), wordsIn(outputs)]
        .filter(Boolean)
        .join("\n")
        .toLowerCase(),
    ]),
  );
}

/** Texts as they are, without the quotes and escapes of JSON. */
function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null)
    return value === null || value === undefined ? "" : String(value);
  return Object.entries(value)
    .map(([name, part]) => (Array.isArray(value) ? wordsIn(part) : `${name} ${wordsIn(part)}`))
    .join("\n");
}

/** The spans whose text has every word of the query, in their order. */
export function withText(
  spans: readonly Span[],
  texts: ReadonlyMap<string, string>,
  query: string,
): readonly Span[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return spans.filter(({ id }) => words.every((word) => texts.get(id)?.includes(word)));
}
