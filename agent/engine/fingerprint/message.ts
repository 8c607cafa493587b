import { STATUS_CODES } from "node:http";
import { Kept, withoutMarks } from "./kept.ts";
import { namesKept } from "./names.ts";
import { quotesReplaced } from "./quotes.ts";
import { AMOUNTS, isNameWithDigits, KNOWN, PLACES, PLURALS, REPEATS, type Rule, TOKEN } from "./rules.ts";
import { withoutStack } from "./stack.ts";
import { withoutStructures } from "./structures.ts";

/** As much of a message as tells its kind. */
const LONGEST = 400;
/** Before that some rules look at each place in the text from each place: more would keep others waiting. */
const READ = 4_000;

const REASON_PHRASES = [
  ...Object.values(STATUS_CODES),
  "Unprocessable Content",
  "Client Error",
  "Server Error",
].join("|");

const WITH_REASON = new RegExp(`\\b[1-5]\\d\\d (?:${REASON_PHRASES})\\b`, "g");

/** Numbers that say which error it is. */
const CODES = [
  // `400 euros are too little` is no answer of a server.
  new RegExp(
    `^\\(?(?:${Object.keys(STATUS_CODES).join("|")}|5[23]\\d)\\b(?=[\\s):]|$)(?! (?:[A-Z]|[a-z]+s) [a-z])`,
    "g",
  ),
  /(?<=\b(?:status|status code|http|https|response code|error code|code|returned|answered|answered with|replied|replied with|responded|responded with|status of)[ :=("']{1,3})[1-5]\d\d\b/gi,
  // `Upload to Box failed: 403`
  /(?<=\b(?:failed|failure|refused|rejected|answer|->)(?: with)?[: (]{1,3})[1-5]\d\d(?=$|[\s).,;:])/gi,
  // What a command ended with.
  /(?<=\b(?:returned|exited|ended) )\d{1,3}(?=[.,;:)]?$)/g,
  /(?<=\b(?:exit(?:ed with)? (?:status|code)|error code|error)[ :=]{1,2})-?\d{1,5}\b/gi,
  /(?<=\bcode[ :=]{1,2}['"]?)[0-9A-Z]{5}\b/g,
  /^[A-Z]{1,6}-?\d{3,6}(?=[\s:])/g,
  // The width of a column's type tells which column.
  /(?<=\b(?:character varying|n?varchar2?|character|char|bit|numeric|decimal|vector))\(\d+(?:, ?\d+)?\)/gi,
  /(?<=\b(?:error |\())[A-Z]{1,6}-?\d{3,6}(?=[\s:)])/g,
];

/** In the words of every language the same number. */
const SYSTEM_CODE = /\[(Errno|WinError) (-?\d+)\][^'")\n]*(?:'[^'\n]*'(?: -> '[^'\n]*')?|"[^"\n]*")?/g;
const SQL_STATE = /\bSQLSTATE[ [:]{1,2}([0-9A-Z]{5})\b/;

/**
 * What is left of an error when everything that differs from case to case is out: paths, ids, numbers, addresses,
 * times, quoted values, stacks. Texts of the same kind give the same result, and people can read it.
 */
export function normalise(type: string | null, message: string): { error_type: string; message: string } {
  const { error_type, text } = typeAndText(type, withoutStack(withoutMarks(message)).slice(0, READ));
  const said = sentence(text, 0, new Kept());
  // Python tells only the key, with quotes or without.
  const isKey = error_type === "KeyError" && /^[A-Za-z_]\w*$/.test(said);
  return { error_type, message: isKey ? `'${said}'` : said };
}

/** A normalised message as it is compared: capitals and plurals make no difference. */
export function comparable(message: string): string {
  return applied(message.toLowerCase(), PLURALS);
}

/** @param kept what texts around this one have kept, too: they may be in it */
function sentence(text: string, depth: number, kept: Kept): string {
  const state = SQL_STATE.exec(text)?.[1];
  if (state) return `SQLSTATE ${state}`;
  let left = applied(text, KNOWN);
  left = left.replace(WITH_REASON, (found) => kept.keep(found));
  for (const pattern of CODES) left = left.replace(pattern, (found) => kept.keep(found));
  left = left.replace(SYSTEM_CODE, (_, name: string, code: string) => kept.keep(`[${name} ${code}]`));
  left = namesKept(left, kept);
  if (depth === 0)
    left = withoutStructures(
      left,
      (inner) => kept.keep(sentence(inner, depth + 1, kept)),
      (part) => kept.keep(part),
    );
  left = withoutStatements(quotesReplaced(applied(left, PLACES), kept));
  left = applied(left, AMOUNTS);
  left = left.replace(TOKEN, (found) => (isNameWithDigits(found) ? kept.keep(found) : "<n>"));
  left = left.replace(/\p{Nd}+/gu, "<n>");
  return tidy(kept.restore(applied(left, REPEATS)));
}

/** What is set to a word of the program: `activityType=renderPdf` */
const TELLING_KEY =
  /(?:type|code|status|reason|tool|model|queue|topic|operation|action|event|field|column|param|parameter)$/i;

/** Behind some words stands what was given, to the end of the line. */
function withoutStatements(text: string): string {
  return text
    .replace(
      /\b(?<!\b(?:not|Failed) )(got|found|received|input|query|provided|(?:unknown|unsupported) (?!table|column|param|field|argument|option|property|tool|model|setting|type|method|function|command|operator|format|node)\w+): (?!<).+$/gim,
      "$1: <value>",
    )
    .replace(/\b(\w+)=(?!\s)(<value>|[^\s,;)\]]+)/g, (_, key: string, value: string) =>
      TELLING_KEY.test(key) && /^[A-Za-z_][A-Za-z_.-]*$/.test(value) ? `${key}=${value}` : `${key}=<value>`,
    );
}

export const applied = (text: string, rules: Rule[]) =>
  rules.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);

/** One line, no line twice, short. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  const line = [...new Set(lines)].filter((part) => part !== "").join(" ");
  return line.replace(/[\s.,:;]+$/, "").slice(0, LONGEST);
}

/** Says nothing: nearly everything is one. */
const GENERIC = /^(?:error|exception|toolmessage)?$/i;

const NO_TYPE = "Error";

const PREFIX =
  /^(?:Uncaught )?((?:[a-z_][\w]*\.)+[A-Z]\w+|[A-Z]\w*(?:Error|Exception|Fault|Warning)|[A-Z][a-z0-9]+[A-Z]\w+|[Ee]rror)(?:: |:\n|:?$)/;
const REPR = /^((?:[a-z_]\w*\.)*[A-Z]\w+)\((["'])([\s\S]*)\2,?\)$/;

/** Finds the type of an error in its message, where programs put it, and takes it out. */
function typeAndText(given: string | null, message: string): { error_type: string; text: string } {
  let type = lastPart(given ?? "");
  let text = message.trim();
  for (;;) {
    const [, reprType, , inner] = REPR.exec(text) ?? [];
    const [prefix = "", prefixType] = PREFIX.exec(text) ?? [];
    const found = lastPart(reprType ?? prefixType ?? "");
    if (found === "" || !(GENERIC.test(type) || GENERIC.test(found) || found === type)) break;
    if (GENERIC.test(type) && !(GENERIC.test(found) && type !== "")) type = found;
    text = inner === undefined ? text.slice(prefix.length).trim() : inner.replace(/\\(["'\\])/g, "$1");
  }
  return { error_type: GENERIC.test(type) ? NO_TYPE : type, text };
}

/** Modules are moved around more often than classes are renamed. */
const lastPart = (type: string) => type.split(".").at(-1) ?? type;
