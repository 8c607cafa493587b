/** What threads have to have in their metadata: `name=value`, or an object as JSON. */
export type MetadataFilter = { metadata: Record<string, unknown> } | { error: string } | undefined;

/** Reads what somebody typed, also while it is not finished. */
export function readMetadataFilter(text: string): MetadataFilter {
  const typed = text.trim();
  if (typed === "") return undefined;
  if (typed.startsWith("{")) return readObject(typed);
  const metadata: Record<string, unknown> = {};
  for (const pair of typed.split(",")) {
    const [name = "", ...value] = pair.split("=");
    if (value.length === 0 || name.trim() === "") return { error: "Write name=value, or an object as JSON." };
    metadata[name.trim()] = readScalar(value.join("=").trim());
  }
  return { metadata };
}

function readObject(text: string): MetadataFilter {
  try {
    return { metadata: JSON.parse(text) };
  } catch {
    return { error: "This is no JSON yet." };
  }
}

/** Numbers and truth values are what they look like; anything else is text, quotes or not. */
function readScalar(text: string): unknown {
  if (!/^(-?\d+(\.\d+)?|true|false|null|".*")$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
