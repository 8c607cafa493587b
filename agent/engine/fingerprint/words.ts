/** A piece of a message: a word, a mark that stands for what varies, a name in quotes, or a sign. */
export type Word = {
  text: string;
  /** As it is compared: without capitals and a plural's s. */
  key: string;
  kind: "word" | "mark" | "name" | "sign";
};

const PIECE =
  /<\w+>|\p{RGI_Emoji}|'[^'\n]{1,200}'|[\p{L}\p{N}_$@#](?:[\p{L}\p{N}\p{M}_$]|[\-.'’\/:@+\&](?=[\p{L}\p{N}_$]))*|\S/gv;
const MOST = 90;

/** Chinese and Japanese, which are written without spaces. */
const SPACELESS = /[\u3040-\u30ff\u3400-\u9fff]/;
const IN_A_ROW = /(?<=[\u3040-\u30ff\u3400-\u9fff]) (?=[\u3040-\u30ff\u3400-\u9fff])/g;
let segmenter: Intl.Segmenter | undefined;

function parted(piece: string): string[] {
  if (!SPACELESS.test(piece) || /^['<]/.test(piece)) return [piece];
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(piece)].map(({ segment }) => segment);
}

/** The words of a normalised message. */
export function wordsOf(message: string): Word[] {
  const pieces = (message.match(PIECE) ?? []).slice(0, MOST);
  return (SPACELESS.test(message) ? pieces.flatMap(parted).slice(0, MOST) : pieces).map((text) => {
    const kind = kindOf(text);
    return { text, kind, key: kind === "word" ? stem(text.toLowerCase()) : text };
  });
}

function kindOf(text: string): Word["kind"] {
  if (/^<\w+>$/.test(text)) return "mark";
  if (/^'.+'$/.test(text)) return "name";
  return /^(?:[\p{L}\p{N}_$@#]|\p{RGI_Emoji})/v.test(text) ? "word" : "sign";
}

const stem = (word: string) => (word.length > 3 && /[^s'’]s$/.test(word) ? word.slice(0, -1) : word);

/** A template as people read it. */
export function textOf(words: readonly Word[]): string {
  const text = words.map(({ text }) => text).join(" ");
  return (SPACELESS.test(text) ? text.replace(IN_A_ROW, "") : text)
    .replace(/ ([,.:;!?)\]}])/g, "$1")
    .replace(/([([{]) /g, "$1");
}
