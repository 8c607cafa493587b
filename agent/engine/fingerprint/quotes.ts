import type { Kept } from "./kept.ts";
import { LANGUAGE, NAME_NOUNS } from "./vocabulary.ts";

const QUOTED =
  /"((?:[^"\\\n]|\\.){0,400}?)"(?:\.\.\.)?|(?<![\p{L}\p{N}])'((?:[^'\\\n]|\\.|(?<=\p{L})'(?=\p{L})){0,400}?)'(?!(?![\p{sc=Hang}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])\p{L})(?:\.\.\.)?|`([^`\n]{0,400}?)`|[«»]\s?([^«»\n]{0,400}?)\s?[«»]|[„“”]([^„“”\n]{0,400}?)[“”]|‚([^‚‘’\n]{0,400}?)[‘’]|「([^「」\n]{0,400}?)」|『([^『』\n]{0,400}?)』|《([^《》\n]{0,400}?)》/gu;

/** Behind these a quoted word is a name in the program, not something that somebody sent. */
const NAMED_BY =
  /(?:\b(?:reading|setting|properties|arguments|view|named|of type|with|each|with name|import name|required|element|name|key|task|near|access|metric|unit|limit|job|target|(?:find|pull) image|resolve keyword|authentication failed for user|authentication failed for role|PATH)|\bfor [^\w\s]+):? $|[\w\]]\[$/i;
/** In front of these, too. */
const NAMED_AHEAD =
  /^ (?:invocation|claim|object|codec|blocks?|type|must|should|is (?:a )?required|is (?:undefined|not defined|not set|missing|mandatory)|cannot be (?:null|empty|blank|negative|zero))\b/;
const TYPED_BY = /\b(?:and|or|for|got|is|not|of|received|type) $/i;
const TYPE_NAME =
  /^(?:int|integer|str|string|float|number|bool|boolean|list|array|dict|object|tuple|set|bytes|function|NoneType|undefined|null|None)$/;
/** `max_tokens`, `maxTokens`, `MAX_TOKENS`: written as programs write. */
const CODE = /^[a-z]+\d{0,4}(?:_(?:[a-z]+|\d{1,2}[a-z]))+$|^[a-z]+(?:[A-Z][a-z]+)+$|^[A-Z]+(?:_[A-Z]+)+$/;
const IDENTIFIER = /^[\p{L}_$@%][\w$%.:/-]{0,79}(?:\(\))?$/u;

/** Behind these stands what the program calls things in several words: `metric 'Read requests'`. */
const PHRASED_BY =
  /\b(?:metric|limit|quota|header|column|field|setting|feature|policy|scope|permission):? $/i;
const isPhrase = (inner: string) =>
  inner.split(" ").every((word) => LANGUAGE.has(word.toLowerCase().replace(/(?<=\w\w\w)s$/, "")));

/** Takes quoted values out; names of the program that are quoted stay. */
export function quotesReplaced(text: string, kept: Kept): string {
  return text.replace(QUOTED, (...found: unknown[]) => {
    const [whole] = found;
    const at = found.find((part) => typeof part === "number") ?? 0;
    const inner = String(found.slice(1).find((part) => typeof part === "string") ?? "");
    const ahead = text.slice(Math.max(0, at - 40), at);
    const behind = text.slice(at + String(whole).length, at + String(whole).length + 24);
    if (kept.holds(inner)) return inner;
    return isName(inner, ahead, behind) ? kept.keep(`'${inner}'`) : "<value>";
  });
}

/** `secret`, `secrets` */
const isNoun = (word: string) =>
  NAME_NOUNS.has(word) || (word.endsWith("s") && NAME_NOUNS.has(word.slice(0, -1)));

function isName(inner: string, ahead: string, behind: string): boolean {
  if (TYPE_NAME.test(inner) && TYPED_BY.test(ahead)) return true;
  if (!IDENTIFIER.test(inner)) return isPhrase(inner) && PHRASED_BY.test(ahead);
  if (CODE.test(inner)) return true;
  if (/\d{3,}/.test(inner)) return false;
  // The whole message of Python's KeyError; data is rarely written in small letters throughout.
  if (ahead === "" && behind === "") return /^[a-z_][a-z0-9_.]*$/.test(inner);
  const [, last = ""] = /(\p{L}+)[:=]? ?$/u.exec(ahead) ?? [];
  const [, next = ""] = /^ (\p{L}+)/u.exec(behind) ?? [];
  return (
    NAME_NOUNS.has(next) || isNoun(last.toLowerCase()) || NAMED_BY.test(ahead) || NAMED_AHEAD.test(behind)
  );
}
