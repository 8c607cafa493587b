import { isOwn, lookOf } from "./values.ts";
import { PARTICLES, SMALL, THINGS, TIME_LEADS, TITLES, UNITS, VALUE_NOUNS } from "./vocabulary.ts";
import type { Word } from "./words.ts";

const LEADS = [TIME_LEADS, PARTICLES, SMALL, TITLES];

/** `meter 12` is not `tariff 12`: both begin with what the thing is, and it is not the same thing. */
export function sayOther(one: readonly Word[], other: readonly Word[]): boolean {
  if (hasPredicate(one) || hasPredicate(other)) return true;
  return isLedByThing(one) && isLedByThing(other) && one[0]?.key !== other[0]?.key;
}

/** `<n> closed at <time>`: behind a value the program says what happened. */
const hasPredicate = (words: readonly Word[]) =>
  words.some(
    (word, at) =>
      at > 0 &&
      words[at - 1]?.kind === "mark" &&
      word.kind === "word" &&
      /^\p{Ll}/u.test(word.text) &&
      isOwn(word) &&
      ![...LEADS, UNITS, VALUE_NOUNS].some((small) => small.has(word.key)),
  );

function isLedByThing([first, second]: readonly Word[]): boolean {
  if (first?.kind !== "word") return false;
  const small = first.text.toLowerCase();
  if (VALUE_NOUNS.has(small) || THINGS.has(small)) return true;
  if (LEADS.some((leads) => leads.has(small))) return false;
  return second !== undefined && /^\p{Ll}/u.test(first.text) && lookOf([second], first) === "value";
}

/** `Lea Weber` */
const isPerson = (words: readonly Word[]) =>
  words.length === 2 && words.every(({ kind, text }) => kind === "word" && /^\p{Lu}\p{Ll}/u.test(text));

/** `lea.weber`, which could be a name in the program, too */
const isAccount = ([first, ...more]: readonly Word[]) =>
  /^\p{Ll}+\.\p{Ll}+$/u.test(first?.text ?? "") && more.every(({ text }) => text === "@");

/** Where one text tells a person's name, what is written like an account in the other is one. */
export const isAccountOf = (one: readonly Word[], other: readonly Word[]) =>
  isPerson(one) && isAccount(other);
