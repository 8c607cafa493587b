import { Badge } from "../ui/index.ts";
import type { StateChange } from "./state-diff.ts";
import { WORDS } from "./words.ts";
import "./changes.css";

const LOOKS = { added: "positive", removed: "negative", changed: "caution" } as const;
const LONGEST = 600;

type ChangeListProps = {
  changes: readonly StateChange[];
  /** What is said where there are none. */
  none?: string;
};

/** The differences between two states, messages in words and the rest as data. */
export function ChangeList({ changes, none = WORDS.nothingChanged }: ChangeListProps) {
  if (changes.length === 0) return <p className="changes-none">{none}</p>;
  return (
    <ul className="change-list">
      {changes.map(({ path, kind, before, after }) => (
        <li key={`${kind} ${path}`}>
          <span className="change-head">
            <Badge look={LOOKS[kind]}>{kind}</Badge>
            <code>{path || WORDS.wholeState}</code>
          </span>
          {before !== undefined && kind !== "added" && <Value look="before" value={before} />}
          {after !== undefined && <Value look="after" value={after} />}
        </li>
      ))}
    </ul>
  );
}

function Value({ value, look }: { value: unknown; look: "before" | "after" }) {
  const message = messageOf(value);
  const text = message?.text ?? (typeof value === "string" ? value : JSON.stringify(value, null, 2));
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return (
    <div className={`change-value change-${look}`}>
      {message && <strong>{message.who}</strong>}
      <span>{cut}</span>
    </div>
  );
}

/** A message's sender and words, if the value is one. */
function messageOf(value: unknown): { who: string; text: string } | undefined {
  if (typeof value !== "object" || value === null || !("type" in value) || !("content" in value)) return;
  const { type, content } = value;
  const name = "name" in value && typeof value.name === "string" ? ` ${value.name}` : "";
  const calls = "tool_calls" in value && Array.isArray(value.tool_calls) ? value.tool_calls : [];
  const called = calls.map((call) => `→ ${call.name}(${JSON.stringify(call.args)})`);
  return { who: `${type}${name}`, text: [textOf(content), ...called].filter(Boolean).join("\n") };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content.map((block) => block?.text ?? `[${block?.type ?? "content"}]`).join("");
}
