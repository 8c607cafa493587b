import type { Word } from "./words.ts";

/** What of a text stands where a pattern has a mark. */
type SlotFiller = { at: number; start: number; end: number };

/**
 * Reads a template as a pattern: its words stand in a text in their order, and each mark stands for one piece or more.
 * @param isOpen which of its marks stand for anything; others only for themselves
 * @returns undefined where the text is not of the pattern
 */
export function fillersOf(
  pattern: readonly Word[],
  text: readonly Word[],
  isOpen: (word: Word) => boolean,
): SlotFiller[] | undefined {
  const opens = pattern.flatMap((word, at) => (isOpen(word) ? [at] : []));
  const found: SlotFiller[] = [];
  const [first = pattern.length] = opens;
  if (!isAt(pattern.slice(0, first), text, 0)) return undefined;
  let from = first;
  for (const [nth, at] of opens.entries()) {
    const next = opens[nth + 1];
    const run = pattern.slice(at + 1, next ?? pattern.length);
    const start = next === undefined ? text.length - run.length : seek(run, text, from + 1);
    if (start <= from || !isAt(run, text, start)) return undefined;
    found.push({ at, start: from, end: start });
    from = start + run.length;
  }
  return opens.length === 0 && text.length !== pattern.length ? undefined : found;
}

function seek(run: readonly Word[], text: readonly Word[], from: number): number {
  for (let at = from; at + run.length <= text.length; at += 1) if (isAt(run, text, at)) return at;
  return -1;
}

const isAt = (run: readonly Word[], text: readonly Word[], start: number) =>
  run.every(({ key }, at) => text[start + at]?.key === key);
