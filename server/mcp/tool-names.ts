/** What the protocol and the models that read the names allow; the shorter of their limits. */
const LONGEST = 64;
const SUFFIX = 8;

type Named = { assistant_id: string; name: string };

/**
 * The tool names of assistants: legal, and each used once. Of those whose names come to the same, the first keeps
 * it and the others get the end of their ids behind it, so the oldest belongs in front.
 */
export function toolNames<A extends Named>(assistants: readonly A[]): Map<string, A> {
  const named = new Map<string, A>();
  const later: A[] = [];
  for (const assistant of assistants) {
    const name = legal(assistant.name);
    if (named.has(name)) later.push(assistant);
    else named.set(name, assistant);
  }
  for (const assistant of later) named.set(distinct(assistant, named), assistant);
  return named;
}

function legal(name: string): string {
  const cleaned = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return cleaned.slice(0, LONGEST) || "assistant";
}

/** An id is used once, so some length of its end does, were every shorter one somebody's name. */
function distinct({ name, assistant_id }: Named, taken: ReadonlyMap<string, unknown>): string {
  const id = assistant_id.replaceAll("-", "");
  for (let length = SUFFIX; ; length += 1) {
    const suffix = `_${id.slice(-length)}`;
    const candidate = legal(name).slice(0, LONGEST - suffix.length) + suffix;
    if (!taken.has(candidate) || length >= id.length) return candidate;
  }
}
