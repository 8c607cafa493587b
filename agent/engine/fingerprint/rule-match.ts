import type { GroupingMatch, GroupingRule } from "@berth/store";

/** What a rule looks at. */
type Matched = {
  /** As it was thrown. */
  text: string;
  message: string;
  error_type: string;
  node: string | null;
  tool: string | null;
  thrown_at: string | null;
};

/** The key that the first matching rule gives a failure; undefined where none matches. */
export function keyOfRules(rules: readonly GroupingRule[], failure: Matched): string | undefined {
  return rules.find(({ match }) => matches(match, failure))?.key;
}

function matches({ message, ...names }: GroupingMatch, failure: Matched): boolean {
  if (message !== undefined && !fits(message, failure.text) && !fits(message, failure.message)) return false;
  return (["error_type", "node", "tool", "thrown_at"] as const).every((name) => {
    const pattern = names[name];
    return pattern === undefined || fits(pattern, failure[name] ?? "");
  });
}

/** Whether a text is of a pattern in which `*` is any text: read once, so that no pattern takes long. */
export function fits(pattern: string, text: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const small = text.toLowerCase();
  const [first = ""] = parts;
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return small === first;
  if (!small.startsWith(first) || !small.endsWith(last) || small.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = small.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= small.length - last.length;
}
