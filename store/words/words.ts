/** Text of one trace or thread that is read for its words; more is left out. */
const MOST_CHARS = 131_072;
/** Different words of it. */
const MOST_WORDS = 4_000;
const LONGEST_WORD = 64;
const MADE_UP = /^(?:run-+)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Words that a search looks for. */
const MOST_ASKED = 20;

/** Letters, their marks, and numbers; of scripts that put no spaces between words, each sign is one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}_]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** The words of a text as they are kept: in lower case, without what is between them. */
export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORD) ?? []).map((word) =>
    word.length > LONGEST_WORD ? word.slice(0, LONGEST_WORD).toWellFormed() : word,
  );
}

/** Collects the different words of texts and JSON values, as far as there is room. */
export class Words {
  readonly #found = new Set<string>();
  /** Most spans of a trace say the same: what was read once is not read again. */
  readonly #texts = new Set<string>();
  readonly #values = new Set<string>();
  #room = MOST_CHARS;

  get all(): string[] {
    return [...this.#found];
  }

  add(text: string): void {
    if (this.#isFull || !isNew(this.#texts, text)) return;
    const part = text.slice(0, this.#room);
    this.#room -= part.length;
    for (const word of wordsOf(part)) {
      if (this.#found.size >= MOST_WORDS) return;
      this.#found.add(word);
    }
  }

  /** What a value says: texts and numbers, not the names of its fields. */
  addJson(json: string | null): void {
    if (json === null || this.#isFull || !isNew(this.#values, json)) return;
    try {
      this.addValue(JSON.parse(json));
    } catch {
      this.add(json);
    }
  }

  /** What a value says, up to a depth of 30. */
  addValue(value: unknown, depth = 0): void {
    if (typeof value === "string") this.add(value);
    else if (typeof value === "number") this.add(String(value));
    else if (typeof value === "object" && value !== null && depth < 30)
      for (const [name, part] of Object.entries(value))
        if (!isMadeUp(name, part, value)) this.addValue(part, depth + 1);
  }

  get #isFull(): boolean {
    return this.#room <= 0 || this.#found.size >= MOST_WORDS;
  }
}

/** Whether it was not there; it is from now on. */
function isNew(among: Set<string>, text: string): boolean {
  const { size } = among;
  return among.add(text).size > size;
}

/** The id that LangGraph made up for a message: nobody looks for it, and of a long conversation it is most words. */
const isMadeUp = (name: string, part: unknown, message: object): boolean =>
  name === "id" && "content" in message && typeof part === "string" && MADE_UP.test(part);

/** What a search asks for: whole words, and the beginning of the last one, which may not be written out yet. */
export type AskedWords = { whole: string[]; begin: string | undefined };

/** Undefined for a query without a word. A word that something follows is whole. */
export function askedWords(query: string): AskedWords | undefined {
  const words = [...new Set(wordsOf(query))].slice(0, MOST_ASKED);
  const last = wordsOf(query).at(-1);
  if (last === undefined) return undefined;
  const isOpen = query.toLowerCase().trimEnd().endsWith(last) && !/\s$/.test(query);
  return isOpen
    ? { whole: words.filter((word) => word !== last), begin: last }
    : { whole: words, begin: undefined };
}

/** A text as people search for it: nobody types accents, and SQLite folds ASCII only. */
export function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
