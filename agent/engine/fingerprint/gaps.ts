import { SMALL } from "./vocabulary.ts";
import type { Word } from "./words.ts";

/** Stands for what differs between texts of one kind. */
export const SLOT: Word = { text: "<value>", key: "<value>", kind: "mark" };

/** Where two texts differ: from where to where in each. */
export type Gap = { left: [start: number, end: number]; right: [start: number, end: number] };

/** The places where two texts differ, by their longest common subsequence. */
export function gapsOf(left: readonly Word[], right: readonly Word[]): Gap[] {
  const gaps: Gap[] = [];
  let [l, r] = [0, 0];
  for (const [nextL, nextR] of [...shared(left, right), [left.length, right.length] as const]) {
    if (nextL > l || nextR > r) gaps.push({ left: [l, nextL], right: [r, nextR] });
    [l, r] = [nextL + 1, nextR + 1];
  }
  return gaps;
}

/** `from Lyon to Paris`, `from Oslo to Lyon`: a name may stand in two places. */
const CAPITALISED = /^\p{Lu}\p{Ll}/u;

/** A word that two texts share tells more than a mark, a sign or a name. */
const weightOf = (word: Word | undefined) =>
  word?.kind === "name" || (word?.kind === "word" && !CAPITALISED.test(word.text)) ? 2 : 1;

/** Pairs of places at which both have the same, as much as there can be. */
function shared(left: readonly Word[], right: readonly Word[]): [number, number][] {
  const width = right.length + 1;
  // A text has ninety words at most, of a weight of two: it fits into a byte.
  const longest = new Uint8Array((left.length + 1) * width);
  for (let l = left.length - 1; l >= 0; l -= 1)
    for (let r = right.length - 1; r >= 0; r -= 1)
      longest[l * width + r] =
        left[l]?.key === right[r]?.key
          ? (longest[(l + 1) * width + r + 1] ?? 0) + weightOf(left[l])
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
export function middle(left: readonly Word[], right: readonly Word[]): Gap[] {
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
export function widened(left: readonly Word[], right: readonly Word[], gap: Gap): Gap {
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

/** A text with what differs open. */
export function merged(left: readonly Word[], gaps: readonly Gap[]): Word[] {
  const found: Word[] = [];
  let at = 0;
  for (const gap of gaps) {
    found.push(...left.slice(at, gap.left[0]), SLOT);
    at = gap.left[1];
  }
  return [...found, ...left.slice(at)];
}
