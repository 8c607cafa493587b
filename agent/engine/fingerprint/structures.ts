import { type Literal, literalAt } from "./literal.ts";

/** What a structure says of the kind of an error; the rest of it is the one case. */
const TELLING = [
  "type",
  "code",
  "status",
  "error",
  "message",
  "msg",
  "detail",
  "errors",
  "reason",
  "param",
  "path",
  "loc",
  "expected",
];
/** Only these make a structure an error's. */
const ERRORS = ["code", "error", "message", "msg", "detail", "errors"];
/** What a person, or a program, said. */
const SAID = new Set(["message", "msg", "detail", "error"]);
/** In front of what somebody sent. */
const DATA_AHEAD = /\b(?:received|input|got|kwargs|args|arguments|values?|instance|data|body was)[:= ]*$/i;

const MOST_NAMES = 4;
const NAMES_AHEAD =
  /\b(?:header content|headers?|columns?|fields?|keys?|properties|parameters?|Index\(|constraint failed on the (?:fields|constraint):) ?\(?$/i;
const NAMES_BEHIND = /^(?:, dtype=\S+)? (?:not in index|not found in axis|are in the \[)/;

/**
 * Puts the telling parts of objects and lists in their place: `{"error": {"type": "overloaded"}, "request_id": …}` is
 * the same error with every request id.
 */
export function withoutStructures(
  text: string,
  sentence: (text: string) => string,
  keep: (part: string) => string,
): string {
  let found = "";
  let at = 0;
  for (const { index } of text.matchAll(/[{[]/g)) {
    if (index < at) continue;
    const literal = literalAt(text, index);
    if (!literal) continue;
    const ahead = text.slice(at, index);
    // An index (`schema['days']`) names a thing.
    if (/[\w\])]$/.test(ahead) && text[index] === "[" && isIndex(literal.value)) continue;
    const behind = text.slice(literal.end, literal.end + 40);
    const told = isNaming(literal.value, ahead, behind)
      ? keep(literal.value.map((name) => `'${name}'`).join(", "))
      : DATA_AHEAD.test(ahead)
        ? undefined
        : tell(literal.value, sentence);
    found += `${ahead}${told ?? "<value>"}`;
    at = literal.end;
  }
  return found + text.slice(at);
}

/** A short list of what the program calls things: the headers, or the columns, that are wrong. */
const isNaming = (value: Literal, ahead: string, behind: string): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MOST_NAMES &&
  value.every((name) => typeof name === "string" && /^[A-Za-z_][\w-]{0,60}$/.test(name)) &&
  (NAMES_AHEAD.test(ahead) || NAMES_BEHIND.test(behind));

const isIndex = (value: Literal) => Array.isArray(value) && value.length === 1;

function tell(value: Literal, sentence: (text: string) => string): string | undefined {
  if (Array.isArray(value)) {
    const told = value.map((item) => tell(item, sentence)).filter((item) => item !== undefined);
    return told.length === 0 ? undefined : [...new Set(told)].join("; ");
  }
  if (typeof value !== "object" || value === null || !ERRORS.some((key) => Object.hasOwn(value, key)))
    return undefined;
  const parts = TELLING.flatMap((key) => {
    const told = tellMember(key, value[key], sentence);
    return told === undefined ? [] : [`${key} ${told}`];
  });
  return parts.length === 0 ? undefined : parts.join(", ");
}

function tellMember(
  key: string,
  value: Literal | undefined,
  sentence: (text: string) => string,
): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return SAID.has(key) ? sentence(value) : value;
  if (typeof value !== "object") return String(value);
  if ((key === "path" || key === "loc") && Array.isArray(value))
    return value.map((part) => (typeof part === "number" ? "<n>" : String(part))).join(".");
  return tell(value, sentence) ?? (key === "errors" ? tellFields(value, sentence) : undefined);
}

/** `"errors": {"due_date": "is in the past"}` */
function tellFields(value: Literal, sentence: (text: string) => string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = Object.entries(value).slice(0, MOST_NAMES);
  const told = fields.flatMap(([name, said]) =>
    typeof said === "string" ? [`${name}: ${sentence(said)}`] : [],
  );
  return told.length === 0 ? undefined : told.join("; ");
}
