import { type Gap, gapsOf, merged, middle, SLOT, widened } from "./gaps.ts";
import { fillersOf } from "./pattern.ts";
import { fills, isEnough, isKnown, MOST_GAPS } from "./template.ts";
import { sayOther } from "./things.ts";
import { isWritten, lookOf } from "./values.ts";
import { AUXILIARIES } from "./vocabulary.ts";
import type { Word } from "./words.ts";

/** Of the shorter of two texts, so much is in both. */
const MOST_SHARED = 0.4;
const TEXTS = 3;

/**
 * What two texts have in common where nothing but a third one can tell whether they are the same.
 * @returns templates in which everything that differs is open
 */
export function roughly(left: readonly Word[], right: readonly Word[]): Word[][] {
  return [gapsOf(left, right), middle(left, right)].flatMap((found) => {
    const gaps = found.map((gap) => widened(left, right, gap));
    const isOpen = (gap: Gap) =>
      isRead(left, right, gap) && isRead(right, left, { left: gap.right, right: gap.left });
    return gaps.length > 0 && gaps.length <= MOST_GAPS && gaps.every(isOpen) && isMost(left, right, gaps)
      ? [merged(left, gaps)]
      : [];
  });
}

function isMost(left: readonly Word[], right: readonly Word[], gaps: readonly Gap[]): boolean {
  const shared = left.length - gaps.reduce((sum, { left: [start, end] }) => sum + end - start, 0);
  return isEnough(left, right, gaps) && shared >= MOST_SHARED * Math.min(left.length, right.length);
}

/** A filler has no name, no code and no verb of a program in it, nor does it stand behind such a verb. */
const isRead = (left: readonly Word[], right: readonly Word[], gap: Gap) =>
  fills(left, right, gap) &&
  !AUXILIARIES.has(left[gap.left[0] - 1]?.key ?? "") &&
  !right
    .slice(...gap.right)
    .some((word) => word.kind === "word" && (isWritten(word) || AUXILIARIES.has(word.text)));

/** In every language the words that lead to a name, and from it, are short: `für`, `de`, `w`, `em`. */
const isLed = (template: readonly Word[], at: number) =>
  [template[at - 1], template[at + 1]].some(
    (word) => word !== undefined && /^(?:\p{Ll}{1,4}|\p{sc=Hira}{1,2})$/u.test(word.text),
  );

/** Each is another one. What a program says there would be a word, or two: they are not all as long, or values anywhere. */
function isFree(template: readonly Word[], at: number, fillers: readonly (readonly Word[])[]): boolean {
  const different = new Set(fillers.map((words) => words.map(({ key }) => key).join(" ")));
  if (fillers.some((one) => fillers.some((other) => sayOther(one, other)))) return false;
  if (different.has(SLOT.key) && different.size === 1) return true;
  if (different.size < TEXTS) return false;
  if (fillers.every((words) => lookOf(words, undefined) === "value")) return true;
  return new Set(fillers.map(({ length }) => length)).size > 1 && (isKnown(template) || isLed(template, at));
}

/** Whether a template takes three texts in each of which something else stands in each place that is open. */
export function areValues(template: readonly Word[], texts: readonly (readonly Word[])[]): boolean {
  const opens = template.flatMap((word, at) => (word.text === SLOT.text ? [at] : []));
  const found = texts.map((text) => {
    const fillers = fillersOf(template, text, ({ text: mark }) => mark === SLOT.text) ?? [];
    const isFilled = fillers.every(({ at, start, end }) =>
      isRead(template, text, { left: [at, at + 1], right: [start, end] }),
    );
    return isFilled ? fillers.map(({ start, end }) => text.slice(start, end)) : [];
  });
  return (
    found.every((fillers) => fillers.length === opens.length) &&
    opens.every((at, nth) =>
      isFree(
        template,
        at,
        found.map((fillers) => fillers[nth] ?? []),
      ),
    )
  );
}
