import { fillersOf } from "./pattern.ts";
import { isOwn, type Look, lookOf } from "./values.ts";
import { AUXILIARIES, BEFORE_VERB, NAME_NOUNS, SMALL, VALUE_NOUNS } from "./vocabulary.ts";
import type { Word } from "./words.ts";

/** Stands for what differs between texts of one kind. */
const SLOT: Word = { text: "<value>", key: "<value>", kind: "mark" };

/** Less in common than this, and two texts say different things. */
const LEAST_SHARED = 0.3;
const MOST_GAPS = 4;

/** Where two texts differ: from where to where in each. */
type Gap = { left: [start: number, end: number]; right: [start: number, end: number] };

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
      gaps.every((gap) => isValue(left, right, gap, placed)) &&
      isEnough(left, right, gaps)
    )
      return merged(left, gaps);
  }
  return undefined;
}

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

function fills(left: readonly Word[], right: readonly Word[], gap: Gap): boolean {
  const filler = right.slice(...gap.right);
  if (filler.some(({ kind }) => kind === "name")) return false;
  if (isData(filler)) return true;
  if (aroundOf(left, gap.left) === "name" || aroundOf(left, gap.left) === "verb") return false;
  const words = filler.filter(({ kind }) => kind === "word");
  return words.length === 0 || !words.every(isOwn);
}

/** The places where two texts differ, by their longest common subsequence. */
function gapsOf(left: readonly Word[], right: readonly Word[]): Gap[] {
  const gaps: Gap[] = [];
  let [l, r] = [0, 0];
  for (const [nextL, nextR] of [...shared(left, right), [left.length, right.length] as const]) {
    if (nextL > l || nextR > r) gaps.push({ left: [l, nextL], right: [r, nextR] });
    [l, r] = [nextL + 1, nextR + 1];
  }
  return gaps;
}

/** Pairs of places at which both have the same, as many as there can be. */
function shared(left: readonly Word[], right: readonly Word[]): [number, number][] {
  const width = right.length + 1;
  const longest = new Uint8Array((left.length + 1) * width);
  for (let l = left.length - 1; l >= 0; l -= 1)
    for (let r = right.length - 1; r >= 0; r -= 1)
      longest[l * width + r] =
        left[l]?.key === right[r]?.key
          ? (longest[(l + 1) * width + r + 1] ?? 0) + 1
          : Math.max(longest[(l + 1) * width + r] ?? 0, longest[l * width + r + 1] ?? 0);
  const pairs: [number, number][] = [];
  for (let [l, r] = [0, 0]; l < left.length && r < right.length; ) {
    if (left[l]?.key === right[r]?.key) pairs.push([l++, r++]);
    else if ((longest[(l + 1) * width + r] ?? 0) >= (longest[l * width + r + 1] ?? 0)) l += 1;
    else r += 1;
  }
  return pairs;
}

/** All that stands between the words with which both begin and those with which both end. */
function middle(left: readonly Word[], right: readonly Word[]): Gap[] {
  const most = Math.min(left.length, right.length);
  let before = 0;
  while (before < most && left[before]?.key === right[before]?.key) before += 1;
  let after = 0;
  while (after < most - before && left.at(-1 - after)?.key === right.at(-1 - after)?.key) after += 1;
  const gap: Gap = { left: [before, left.length - after], right: [before, right.length - after] };
  // A word that both have in there is part of the sentence, not of a value.
  const others = new Set(right.slice(...gap.right).map(({ key }) => key));
  const isShared = ({ kind, key }: Word) => kind === "word" && others.has(key) && !SMALL.has(key);
  return left.slice(...gap.left).some(isShared) ? [] : [gap];
}

/** A value of two pieces may share one with a value of one: what both have at the edge of a gap is part of it then. */
function widened(left: readonly Word[], right: readonly Word[], gap: Gap): Gap {
  let {
    left: [l, lEnd],
    right: [r, rEnd],
  } = gap;
  const isPart = (word: Word | undefined) =>
    word !== undefined && (word.kind === "mark" || word.kind === "sign");
  while ((l === lEnd || r === rEnd) && isPart(left[lEnd]) && isPart(right[rEnd]))
    [lEnd, rEnd] = [lEnd + 1, rEnd + 1];
  while ((l === lEnd || r === rEnd) && isPart(left[l - 1]) && isPart(right[r - 1])) [l, r] = [l - 1, r - 1];
  return { left: [l, lEnd], right: [r, rEnd] };
}

function isValue(left: readonly Word[], right: readonly Word[], gap: Gap, placed: boolean): boolean {
  const one = left.slice(...gap.left);
  const other = right.slice(...gap.right);
  if (one.length === 0 || other.length === 0) return false;
  const looks = [lookOf(one, left[gap.left[0] - 1]), lookOf(other, right[gap.right[0] - 1])];
  if (looks.includes("name")) return false;
  const [oneIsData, otherIsData] = [isData(one), isData(other)];
  if (oneIsData && otherIsData) return true;
  // `acme <n>`: whatever it is called, it is one of many.
  if (looks.every((look) => look === "value") && hasMark(one) && hasMark(other)) return true;
  const around = aroundOf(left, gap.left);
  if (around === "name") return false;
  // What stands where data was found is data, too.
  if ((oneIsData || otherIsData) && around !== "verb") return true;
  return agree(looks, around, placed);
}

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
function isEnough(left: readonly Word[], right: readonly Word[], gaps: readonly Gap[]): boolean {
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

function merged(left: readonly Word[], gaps: readonly Gap[]): Word[] {
  const found: Word[] = [];
  let at = 0;
  for (const gap of gaps) {
    found.push(...left.slice(at, gap.left[0]), SLOT);
    at = gap.left[1];
  }
  return [...found, ...left.slice(at)];
}
