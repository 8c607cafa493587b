import { MAX_FORMULA_LENGTH, MAX_FORMULAS } from "./limits.ts";

const INSIDE = `{1,${MAX_FORMULA_LENGTH}}?`;
const IN_BRACKETS = String.raw`\\\[([\s\S]${INSIDE})\\\]`;
const IN_PARENTHESES = String.raw`\\\((.${INSIDE})\\\)`;
const BETWEEN_TWO_DOLLARS = String.raw`\$\$[\s\S]${INSIDE}\$\$`;
/** As people who also write about money read it: no space inside, no digit behind. */
const BETWEEN_DOLLARS = String.raw`\$(?=\S)[^$\n]{0,${MAX_FORMULA_LENGTH}}?\S\$(?!\d)`;
const IN_DOLLARS = `${BETWEEN_TWO_DOLLARS}|${BETWEEN_DOLLARS}`;

const FORMULA = new RegExp(String.raw`${IN_BRACKETS}|${IN_PARENTHESES}|(?<!\\)(?:${IN_DOLLARS})`, "g");
const BRACKETS = new RegExp(IN_BRACKETS, "g");
const PARENTHESES = new RegExp(IN_PARENTHESES, "g");
const DOLLARS = new RegExp(String.raw`\\\$|${IN_DOLLARS}|\$`, "g");

/** Whether a text has formulas in it, and not too many. */
export function hasFormulas(text: string): boolean {
  const count = text.match(FORMULA)?.length ?? 0;
  return count > 0 && count <= MAX_FORMULAS;
}

/** The text with its formulas between dollars, and every other dollar as a sign. */
export function withFormulas(text: string): string {
  let result = "";
  let end = 0;
  for (const [start, stop] of codeSpans(text)) {
    result += marked(text.slice(end, start)) + text.slice(start, stop);
    end = stop;
  }
  return result + marked(text.slice(end));
}

/** The code spans of a text, in which a dollar is a dollar: between a run of backticks and the next of its length. */
function codeSpans(text: string): [start: number, stop: number][] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: marks, index }) => ({ at: index, length: marks.length }));
  const nextOfLength = new Map<number, number>();
  const closing = new Array<number | undefined>(runs.length);
  for (const [place, run] of [...runs.entries()].reverse()) {
    closing[place] = nextOfLength.get(run.length);
    nextOfLength.set(run.length, place);
  }
  const spans: [number, number][] = [];
  for (let place = 0; place < runs.length; place += 1) {
    const close = closing[place];
    const [from, to] = [runs[place], close === undefined ? undefined : runs[close]];
    if (close === undefined || !from || !to) continue;
    spans.push([from.at, to.at + to.length]);
    place = close;
  }
  return spans;
}

function marked(text: string): string {
  return text
    .replaceAll(BRACKETS, (_, tex: string) => ["", "$$", tex.trim(), "$$", ""].join("\n"))
    .replaceAll(PARENTHESES, (_, tex: string) => `$${tex.trim()}$`)
    .replaceAll(DOLLARS, (found) => (found === "$" ? "\\$" : found));
}
