const [ESC, CSI, STRINGS, END] = ["\\u001b", "\\u009b", "\\u0090\\u0098\\u009d-\\u009f", "\\u0007\\u009c"];

/** What a terminal acts upon (ECMA-48): sequences that move and colour, strings such as titles and links, short ones. */
const ESCAPES = [
  `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
  `(?:${ESC}[\\]PX^_]|[${STRINGS}])[^${END}${ESC}${STRINGS}]*(?:[${END}]|${ESC}\\\\)`,
  `${ESC}[ -/]*[0-~]`,
];
/** All others but line ends and tabs. */
const CONTROLS = "[^\\P{Cc}\\t\\n]";
/** What reorders text or takes no room in it: bidirectional marks and overrides, joiners, fillers, tags; not what makes one emoji of several. */
const UNSEEN =
  "(?!(?<=\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\ufe0f)\\u200d)(?![\\ufe00-\\ufe0f])\\p{Default_Ignorable_Code_Point}|[\\ufff9-\\ufffb]";

const ANY = new RegExp([...ESCAPES, CONTROLS, UNSEEN].join("|"), "u");
const ALL = new RegExp(ANY, "gu");

/**
 * Text that came from strangers, as people may see it in a title, a message or on a page: without what a terminal or
 * a browser would act upon, or what would make it read differently from what it is. Line ends and tabs stay.
 */
export function plainText(text: string): string {
  const lines = /[\r\u2028\u2029]/.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, "\n") : text;
  return ANY.test(lines) ? lines.replace(ALL, "") : lines;
}

/** The same where there may be none. */
export const plainOrNull = (text: string | null): string | null => text && plainText(text);
