import { Invalid } from "@berth/store";
import { isRecord } from "./record.ts";

type Path = (string | number)[];

/**
 * Refuses text with an unpaired surrogate in what goes into the state of a graph in Python: the serializer of LangGraph
 * stores `?` in its place, and fails where it is in a key.
 * @param language of the graph; absent for TypeScript and JavaScript, which keep such text
 * @param fields of the body, by name
 * @throws Invalid
 */
export function requirePairedSurrogates(
  language: "python" | undefined,
  fields: Record<string, unknown>,
): void {
  const path = language === "python" ? unpairedIn(fields) : undefined;
  if (!path) return;
  const msg = "Input should have no unpaired surrogate: a graph in Python cannot store it";
  throw new Invalid([{ loc: ["body", ...path], msg, type: "string_unicode" }]);
}

/** Where the first unpaired surrogate is; the path of a key is that of its object. */
function unpairedIn(value: unknown): Path | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : [];
  if (!Array.isArray(value) && !isRecord(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!key.isWellFormed()) return [];
    const path = unpairedIn(inner);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}
