/** A paragraph longer than this goes on in a new line: no frame could parse and lay out ever more of it. */
const LONGEST = 2_000;
const LATEST = LONGEST * 1.5;
/** Headings, lists, quotes, tables: lines that are more than a paragraph. */
const OTHER = /^\s*([-+*#>|=]|\d+[.)] )/m;
/** What would be one of these at the start of a piece. */
const LOOKS_LIKE_OTHER = /^\s*([-+*#>|=`~<]|\d+[.)])/;

/** Cuts a long paragraph, best where a sentence ends, and where no emphasis, code or link is open. */
export function paragraphPieces(text: string): string[] {
  if (text.length <= LATEST || OTHER.test(text)) return [text];
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > LATEST) {
    const cut = cutAt(rest);
    if (cut === undefined) break;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

function cutAt(text: string): number | undefined {
  let word: number | undefined;
  let balanced: number | undefined;
  for (let at = LONGEST; at < LATEST; at++) {
    if (text[at] !== " " || LOOKS_LIKE_OTHER.test(text.slice(at + 1, at + 12))) continue;
    word ??= at + 1;
    const endsSentence = /[.!?…:;]["”’)]?$/.test(text.slice(at - 2, at));
    if ((balanced && !endsSentence) || !isBalanced(text.slice(0, at))) continue;
    if (endsSentence) return at + 1;
    balanced = at + 1;
  }
  return balanced ?? word;
}

const PAIRS = [/`/g, /\*\*/g, /(?<!\*)\*(?!\*)/g, /~~/g];

function isBalanced(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return PAIRS.every((pattern) => count(pattern) % 2 === 0) && count(/\[/g) === count(/\]/g);
}
