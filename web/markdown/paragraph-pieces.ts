/** A paragraph longer than this is parsed in pieces, so that no frame has to parse all of it. */
const LONGEST = 2_000;
const LATEST = LONGEST * 1.5;
/** Headings, lists, quotes, tables: lines that are more than a paragraph. */
const OTHER = /^\s*([-+*#>|=]|\d+[.)] )/m;
/** What would be one of these at the start of a piece. */
const LOOKS_LIKE_OTHER = /^\s*([-+*#>|=`~<]|\d+[.)])/;

/** Cuts a long paragraph, where possible between words with no emphasis, code or link open. */
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
  let fallback: number | undefined;
  for (let at = LONGEST; at < LATEST; at++) {
    if (text[at] !== " " || LOOKS_LIKE_OTHER.test(text.slice(at + 1, at + 12))) continue;
    if (isBalanced(text.slice(0, at))) return at + 1;
    fallback = at + 1;
  }
  return fallback;
}

const PAIRS = [/`/g, /\*\*/g, /(?<!\*)\*(?!\*)/g, /~~/g];

function isBalanced(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return PAIRS.every((pattern) => count(pattern) % 2 === 0) && count(/\[/g) === count(/\]/g);
}
