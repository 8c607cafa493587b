/** Controls but line ends and tabs, what takes no room, and what turns the direction of text; no emoji's look or joiner. */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d)(?![\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[^\P{Cc}\t\n\r]|[\u2028\u2029\ufff9-\ufffb]/gu;

/** Text of strangers as it is, what a reader would not see written out: a page must not read differently from its data. */
export function visibleText(text: string): string {
  return text.replace(
    UNSEEN,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}
