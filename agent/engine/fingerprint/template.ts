import { type Gap, gapsOf, merged, middle, SLOT, widened } from "./gaps.ts";
import { fillersOf } from "./pattern.ts";
import { isAccountOf, sayOther } from "./things.ts";
import { isOwn, type Look, lookOf, UNICASE } from "./values.ts";
import { AUXILIARIES, BEFORE_VERB, MODALS, NAME_NOUNS, SMALL, UNTOLD, VALUE_NOUNS } from "./vocabulary.ts";
import type { Word } from "./words.ts";

/** Less in common than this, and two texts say different things. */
const LEAST_SHARED = 0.3;
export const MOST_GAPS = 4;
const CLAUSE = 4;

/**
 * What two messages from one place have in common when they differ only where values stand; undefined when they
 * differ in a word of the program.
 * @param placed whether it is known where in the code both were thrown: what differs is then more likely a value
 */
export function common(left: readonly Word[], right: readonly Word[], placed: boolean): Word[] | undefined {
  const filled = filledIn(left, right);
  if (filled) return filled;
  for (const found of [gapsOf(left, right), middle(left, right)]) {
    const gaps = found.map((gap) => widened(left, right, gap));
    if (
      gaps.length > 0 &&
      gaps.length <= MOST_GAPS &&
      areApart(gaps) &&
      gaps.every((gap) => isValue(left, right, gap, placed)) &&
      isEnough(left, right, gaps)
    )
      return merged(left, gaps);
  }
  return undefined;
}

/** Gaps that were widened may have met: then it is not told which word is of which. */
const areApart = (gaps: readonly Gap[]) =>
  gaps.every(({ left, right }, at) => {
    const next = gaps[at + 1];
    return next === undefined || (left[1] <= next.left[0] && right[1] <= next.right[0]);
  });

/** What is known to be open takes whatever is no word of the program. */
function filledIn(left: readonly Word[], right: readonly Word[]): Word[] | undefined {
  for (const isOpen of [({ text }: Word) => text === "<value>", ({ kind }: Word) => kind === "mark"]) {
    const fillers = fillersOf(left, right, isOpen);
    if (!fillers || fillers.length === 0) continue;
    const gaps = fillers.map(({ at, start, end }): Gap => ({ left: [at, at + 1], right: [start, end] }));
    if (gaps.every((gap) => fills(left, right, gap)) && isEnough(left, right, gaps))
      return merged(left, gaps);
  }
  return undefined;
}

/** Whether what stands in an open place is no word of the program. */
export function fills(left: readonly Word[], right: readonly Word[], gap: Gap): boolean {
  const filler = right.slice(...gap.right);
  if (filler.length === 0 || filler.some(({ kind }) => kind === "name") || hasClause(filler)) return false;
  if (isData(filler)) return true;
  if (aroundOf(left, gap.left) === "name" || aroundOf(left, gap.left) === "verb") return false;
  const words = filler.filter(({ kind }) => kind === "word");
  const isCode = ({ text }: Word) => /^\d/.test(text) && !hasMark(filler);
  if (UNTOLD.has(filler[0]?.key ?? "")) return true;
  return words.length === 0 || !words.every((word) => isOwn(word) || isCode(word));
}

/** `'cus_1'; a similar object exists in test mode`: behind the value the program goes on. */
function hasClause(filler: readonly Word[]): boolean {
  const sign = filler.findIndex(({ text }) => text === ";");
  const words = filler.slice(sign + 1).filter(({ kind }) => kind === "word");
  return sign > 0 && words.length >= CLAUSE && words.filter(isOwn).length * 2 > words.length;
}

/** Whether the words around are of the language whose words are known. */
export function isKnown(template: readonly Word[]): boolean {
  const words = template.filter(({ kind }) => kind === "word");
  return words.filter(isOwn).length * 2 >= words.length && !words.some(({ text }) => UNICASE.test(text));
}

function isValue(left: readonly Word[], right: readonly Word[], gap: Gap, placed: boolean): boolean {
  const one = left.slice(...gap.left);
  const other = right.slice(...gap.right);
  if (one.length === 0 || other.length === 0) return false;
  const looks = [
    lookOf(one, left[gap.left[0] - 1], left[gap.left[1]]),
    lookOf(other, right[gap.right[0] - 1], right[gap.right[1]]),
  ].map((look) => (look === "long" ? (isKnown(left) ? "value" : "free") : look));
  if (looks.includes("name") || sayOther(one, other)) return false;
  if (MODALS.has(left[gap.left[0] - 1]?.key ?? "") && isVerb(one) && isVerb(other)) return false;
  const [oneIsData, otherIsData] = [isData(one), isData(other)];
  if (oneIsData && otherIsData) return true;
  // `acme <n>`: whatever it is called, it is one of many.
  if (looks.every((look) => look === "value") && hasMark(one) && hasMark(other)) return true;
  const around = aroundOf(left, gap.left);
  if (around === "name") return false;
  if (isAccountOf(one, other) || isAccountOf(other, one)) return true;
  // What stands where data was found is data, too.
  if ((oneIsData || otherIsData) && around !== "verb") return true;
  return agree(looks, around, placed);
}

const isVerb = ([first]: readonly Word[]) => first?.kind === "word" && /^\p{Ll}/u.test(first.text);

const hasMark = (words: readonly Word[]) => words.some(({ kind }) => kind === "mark");

/** Nothing but what rules have found to be data. */
const isData = (words: readonly Word[]) => words.every(({ kind }) => kind !== "word");

function agree([one = "name", other = "name"]: Look[], around: Around, placed: boolean): boolean {
  if (one === "value" && other === "value") return true;
  if (one === "code" || other === "code") return around === "value" && (one === "value" || other === "value");
  if (around === "value") return true;
  // At one place in the code the program's own words are the same; several of them may be its reason, too.
  if (around === "nothing" && placed && (one !== "free" || other !== "free")) return true;
  // One of them is a value for sure: so is a single word in its place.
  return (
    (one === "value" || other === "value") &&
    one !== "free" &&
    other !== "free" &&
    (around === "nothing" || placed)
  );
}

/** What the words around a gap make of it. */
type Around = "name" | "value" | "verb" | "nothing";

const ARTICLE = /^(?:the|a|an|your|this|named|called|is|was)$/;
const CALLED = /^(?:named|called)$/;
/** What is missing is a thing of the program. */
const LACKING = /^(?:lack|lacked|missing|need|require|required|expect|expected|omit|omitted)$/;
const SIGN_BEFORE = /^[:"'`(=[]$/;

function aroundOf(words: readonly Word[], [start, end]: [number, number]): Around {
  const before = wordsBefore(words, start);
  const [last, beforeLast] = before;
  const next = words[end]?.key ?? "";
  const afterNext = words[end + 1]?.key ?? "";
  if (last !== undefined && NAME_NOUNS.has(last) && !VALUE_NOUNS.has(last)) return "name";
  if (last !== undefined && LACKING.test(last)) return "name";
  if (NAME_NOUNS.has(next) && !VALUE_NOUNS.has(next)) return "name";
  if (isRequired(next, afterNext, words[end + 2]?.key ?? "")) return "name";
  if (last === undefined) return "nothing";
  if (CALLED.test(words[start - 1]?.key ?? "")) return "value";
  if (beforeLast !== undefined && BEFORE_VERB.has(beforeLast) && /^(?:to|for|from|as|by|of)$/.test(last))
    return "verb";
  return VALUE_NOUNS.has(last) ? "value" : "nothing";
}

/** `email is required`: what stands in front of it is a name. */
function isRequired(next: string, afterNext: string, third: string): boolean {
  if (/^(?:must|should|required)$/.test(next)) return true;
  if (next === "cannot")
    return afterNext === "be" && /^(?:null|empty|blank|undefined|negative|zero)$/.test(third);
  if (next !== "is") return false;
  return (
    /^(?:required|missing|mandatory|undefined)$/.test(afterNext) ||
    (afterNext === "not" && /^(?:set|defined|configured|installed|iterable)$/.test(third))
  );
}

/** The words in front of a place, nearest first, without articles and the sign that leads to it. */
function wordsBefore(words: readonly Word[], start: number): string[] {
  const found: string[] = [];
  for (let at = start - 1; at >= 0 && found.length < 2; at -= 1) {
    const { kind, text, key } = words[at] ?? SLOT;
    if (kind === "word" && !(found.length === 0 && ARTICLE.test(key))) found.push(key);
    else if (kind !== "word" && !(found.length === 0 && SIGN_BEFORE.test(text))) break;
  }
  return found;
}

/** Whether what both have in common says something. */
export function isEnough(left: readonly Word[], right: readonly Word[], gaps: readonly Gap[]): boolean {
  const saying = (words: readonly Word[]) => words.filter(({ kind }) => kind === "word" || kind === "name");
  const both = saying(merged(left, gaps));
  const telling = both.filter(
    ({ key, kind }) => kind === "name" || !(AUXILIARIES.has(key) || SMALL.has(key)),
  );
  if (telling.length === 0) return false;
  const most = Math.max(saying(left).length, saying(right).length);
  return both.length >= 2 ? both.length / most >= LEAST_SHARED || isTail(left, gaps) : most <= 3;
}

/** Somebody's words, to the end of the text. */
const isTail = (left: readonly Word[], gaps: readonly Gap[]) =>
  gaps.length === 1 && gaps[0]?.left[1] === left.length && gaps[0].left[0] >= 3;
