import { isInCalendar } from "./calendar.ts";
import {
  ASKING,
  AUXILIARIES,
  FILE_ENDINGS,
  LANGUAGE,
  NAME_NOUNS,
  PARTICLES,
  QUESTIONS,
  SERVICES,
  SMALL,
  TIME_LEADS,
  TITLES,
  UNITS,
  VALUE_NOUNS,
} from "./vocabulary.ts";
import type { Word } from "./words.ts";

/**
 * What a piece of a text looks like.
 * - `value`: something that somebody sent or looked for, whatever stands around it
 * - `name`: a word of the program, or of the language in which programs speak
 * - `code`: written as programs write; a value only where others are, too (`svc_backup`)
 * - `open`: could be either: what stands around it decides
 * - `long`: several words in a row that no program would say, where the words of its language are known
 * - `free`: several words in a row that could be a search or a sentence of somebody's
 */
export type Look = "value" | "name" | "code" | "open" | "long" | "free";

/** `get_weather`, `getWeather`, `OPENAI_API_KEY`, `PaymentService`, `orders.user_id`: nobody is called so. */
const SNAKE = /^[$_]*[a-z][a-z0-9]*(?:_[a-z0-9]+)+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const CAMEL = /^[a-z][a-z0-9]{1,}(?:[A-Z][a-z0-9]+)+$|^(?:[A-Z][a-z0-9]{2,}){2,}$/;
const DOTTED = /^[\w$]+(?:\.[\w$]+)+$/;
/** `ECONNRESET`, `EPIPE`, `ENOENT`: codes of the operating system. */
const ERRNO =
  /^E(?:ACCES|ADDR|AGAIN|AI_|BADF|BUSY|CANCEL|CONN|DQUOT|EXIST|FAULT|FBIG|HOST|INTR|INVAL|IO$|IS|LOOP|MFILE|MSG|NAME|NET|NFILE|NO|PERM|PIPE|PROTO|RANGE|ROFS|SRCH|TIME|TXT|XDEV)[A-Z_]*$/;
const SIGNAL = /^SIG[A-Z]{2,6}$/;
/** `crew-api.internal` */
const HOST =
  /^[\w-]+(?:\.[\w-]+)*\.(?:internal|local|localdomain|lan|intranet|corp|svc|cluster|com|net|org|io|dev|app|ai|cloud|example|test|invalid)(?::\d+)?$/i;
const SLUG = /^[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+$/u;
const PERSON = /^(?:Mc|Mac|De|Di|La|Le|Van|Von|O['’])\p{Lu}/u;
/** Signs that are part of names, searches and lists of them. */
const INSIDE = /^[@,\-–—'’"“”&/()+?!.#%€$£…]$/;
const LEAST_OWN = 0.25;
const MOST_OWN = 0.5;

/**
 * What several words in a row look like.
 * @param before what stands in front of them: a capital behind a full stop or a colon tells nothing
 * @param after what stands behind them: `ICE` in front of a number is part of it
 */
export function lookOf(words: readonly Word[], before: Word | undefined, after?: Word): Look {
  if (
    words.some(({ kind }) => kind === "mark") &&
    words.every(({ kind }) => kind === "mark" || kind === "sign")
  )
    return "value";
  const looks = inTurn(
    words,
    words.map((word, at) => lookOfWord(word, at === 0 ? before : words[at - 1])),
    after,
  );
  if (looks.includes("name")) return "name";
  const said = looks.filter((look) => look !== "sign");
  if (said.length === 0) return words.some(({ kind }) => kind === "word") ? "open" : "name";
  if (said.includes("code"))
    return said.every((look) => look === "code" || look === "value") ? "code" : "name";
  // `tariff service`
  if (said.length > 1 && endsInName(words)) return "name";
  // `notes draft.txt`
  if (words.at(-1)?.text === "<path>") return "value";
  if (isFile(words.findLast(({ kind }) => kind === "word")?.text.toLowerCase() ?? "")) return "value";
  if (said.length > 2 && words.some(({ key }) => QUESTIONS.has(key))) return "value";
  // `is`, `was`, `could`: a sentence of the program goes on.
  if (words.some(({ text }) => AUXILIARIES.has(text)) && !isSearch(words)) return "name";
  // `Bank of America`: a small word among others does not make it one of the program.
  // `druckt leere Seiten`: it begins as a sentence goes on, if not in English.
  if (said.includes("value") && words.every((word, at) => looks[at] !== "language" || isSmall(word)))
    return goesOn(words, looks) ? "long" : "value";
  if (said.every((look) => look === "open")) return "open";
  const own = said.filter((look) => look === "language").length;
  if (said.length > 2 && own <= said.length * LEAST_OWN) return "long";
  if (said.length === 1) return said[0] === "open" ? "open" : said[0] === "value" ? "value" : "name";
  return isSearch(words) || own <= said.length * MOST_OWN ? "free" : "name";
}

/** What a word looks like beside its neighbours. */
function inTurn(words: readonly Word[], looks: WordLook[], after: Word | undefined): WordLook[] {
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at];
    const next = words[at + 1] ?? after;
    if (word?.kind === "word" && TIME_LEADS.has(word.text.toLowerCase()) && isTime(next, looks[at + 1]))
      looks[at] = "sign";
    // `ICE 1042`, `RE 5`
    else if (looks[at] === "open" && next?.kind === "mark" && /^\p{Lu}{1,4}$/u.test(word?.text ?? ""))
      looks[at] = "value";
    // `Dune: Part Two`
    else if (word?.text === ":" && looks[at - 1] === "value" && [next, words[at + 2]].every(isCapital))
      looks.splice(at, 2, "sign", "value");
  }
  return looks;
}

const isCapital = (word: Word | undefined) => /^\p{Lu}/u.test(word?.text ?? "");

/** A day, a month, a mark, or a small word that leads to one. */
const isTime = (word: Word | undefined, look: WordLook | undefined) =>
  word?.kind === "mark" || look === "sign" || (word !== undefined && isInCalendar(word.text.toLowerCase()));

/** Behind words in small letters stands what they are in a program. */
function endsInName(words: readonly Word[]): boolean {
  const last = words.at(-1)?.key ?? "";
  return NAME_NOUNS.has(last) && !VALUE_NOUNS.has(last) && words.every(({ text }) => /^\p{Ll}/u.test(text));
}

/** `druckt leere Seiten`, `<value> clos depuis <n>`: a word in small letters, not of a name, stands in front or behind a value. */
function goesOn(words: readonly Word[], looks: readonly WordLook[]): boolean {
  const isOpen = (at: number, form: RegExp) => looks[at] === "open" && form.test(words[at]?.text ?? "");
  // `<n>`, or `seit gestern`
  const isTold = ({ kind, text }: Word, at: number) =>
    kind === "mark" || (looks[at - 1] === "sign" && isInCalendar(text.toLowerCase()));
  return (
    isOpen(0, /^\p{Ll}/u) ||
    words.some((word, at) => isTold(word, at) && isOpen(at + 1, /^(?:\p{Ll}|\p{Lo}{2})/u))
  );
}

const isSmall = ({ key, text }: Word) =>
  SMALL.has(key) || UNITS.has(key) || VALUE_NOUNS.has(text.toLowerCase());

/** People ask and tell in other words than programs. */
const isSearch = (words: readonly Word[]) => words.some(({ key }) => ASKING.has(key));

type WordLook = "value" | "name" | "code" | "language" | "open" | "sign";

const startsSentence = (before: Word | undefined) => before === undefined || /^[.:!?←|;-]$/.test(before.text);

/** Scripts without capitals. */
export const UNICASE =
  /^[\p{scx=Han}\p{scx=Hangul}\p{scx=Hira}\p{scx=Kana}\p{scx=Arab}\p{scx=Hebr}\p{scx=Thai}\p{scx=Deva}]/u;

/** Japanese writes what goes on in a sentence in these, and names of things hardly. */
const HIRAGANA = /^\p{sc=Hira}/u;

function lookOfWord({ kind, text, key }: Word, before: Word | undefined): WordLook {
  if (kind === "mark") return "value";
  if (kind === "name") return "name";
  if (kind === "sign") return INSIDE.test(text) ? "sign" : "name";
  const small = text.toLowerCase();
  if (isInCalendar(small)) return "value";
  // `#summerVibes`, `@anna_s`
  if (/^[#@]/.test(text)) return "value";
  if (PARTICLES.has(text) || TITLES.has(small)) return "sign";
  if (isFile(small)) return "value";
  // Rules that take data out have left it.
  if (/\d/.test(text)) return "name";
  if (PERSON.test(text)) return "value";
  if (HOST.test(text)) return "name";
  if (ERRNO.test(text)) return "name";
  if (SNAKE.test(text) || CAMEL.test(text) || DOTTED.test(text)) return "code";
  if (HIRAGANA.test(text)) return "language";
  if (UNICASE.test(text) && before?.kind === "word" && /[a-z]/i.test(before.text)) return "value";
  if (SERVICES.has(small)) return "language";
  // In the middle of a sentence: `Behind the Scenes`
  if (!startsSentence(before) && /^\p{Lu}(?:\p{Ll}|$)/u.test(text) && text !== "I") return "value";
  if (isLanguage(small) || isLanguage(key)) return "language";
  if (SLUG.test(text))
    return text.split(/[-_]/).every((part) => LANGUAGE.has(part.toLowerCase())) ? "open" : "value";
  if (isScrambled(text)) return "value";
  // `RECITATION` may be a constant of the program, and `QWKZJX` an id.
  if (/^\p{Lu}{2,}$/u.test(text)) return SIGNAL.test(text) ? "name" : "open";
  return /^\p{Lu}/u.test(text) ? "value" : "open";
}

const isLanguage = (word: string) => LANGUAGE.has(word) || NAME_NOUNS.has(word) || VALUE_NOUNS.has(word);

const isFile = (small: string) =>
  /\.\w{1,7}$/.test(small) && FILE_ENDINGS.has(small.slice(small.lastIndexOf(".") + 1));

/** Letters that nobody could pronounce are an id. */
function isScrambled(text: string): boolean {
  if (!/^[A-Za-z]{5,}$/.test(text)) return false;
  if (/[a-z][A-Z][a-z]?[A-Z]/.test(text)) return true;
  const small = text.toLowerCase();
  return /[^aeiouy]{5,}/.test(small) || /(?:[qwxzjkv][^aeiou]){2,}|q[^u]/.test(small) || isSequence(small);
}

const isSequence = (small: string) => "abcdefghijklmnopqrstuvwxyz".includes(small) || /^(.)\1+$/.test(small);

/** Whether a word is of the language in which programs say what went wrong. */
export const isOwn = ({ key, text }: Word) =>
  isLanguage(key) ||
  isLanguage(text.toLowerCase()) ||
  [ERRNO, SIGNAL, HIRAGANA].some((form) => form.test(text));

/** Whether a word is written as programs write: a name, a host, a code, a model. */
export const isWritten = ({ text }: Word) =>
  /\d/.test(text) || [HOST, SNAKE, CAMEL, DOTTED].some((form) => form.test(text));
