/** What a literal in a message says; bytes and dates are strings here. */
export type Literal = string | number | boolean | null | Literal[] | { [key: string]: Literal };

/** Deeper than this no error message is worth reading. */
const DEEPEST = 12;
const CLOSING: Record<string, string> = { "[": "]", "(": ")", "{": "}" };
const WORDS: Record<string, Literal> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
};

/**
 * Reads the object or list that begins at `start`, as JSON, Python's `repr` or Node's `inspect` write it.
 * @returns the value and where it ends; undefined when what stands there is no literal
 */
export function literalAt(text: string, start: number): { value: Literal; end: number } | undefined {
  const reader = new Reader(text, start);
  const value = reader.value(0);
  return value === undefined || typeof value !== "object" || value === null
    ? undefined
    : { value, end: reader.at };
}

class Reader {
  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  value(depth: number): Literal | undefined {
    this.#space();
    const char = this.text[this.at];
    if (char === undefined || depth > DEEPEST) return undefined;
    if (char === "{") return this.#object(depth);
    if (char === "[" || char === "(") return this.#list(depth);
    if (/^(?:b|r|u)?["'`]/.test(this.text.slice(this.at, this.at + 2))) return this.#string();
    return this.#word();
  }

  #object(depth: number): Literal | undefined {
    const found: Record<string, Literal> = {};
    const more = this.#members("}", () => {
      const key = this.#key();
      this.#space();
      if (key === undefined || this.text[this.at] !== ":") return false;
      this.at += 1;
      const value = this.value(depth + 1);
      if (value !== undefined) found[key] = value;
      return value !== undefined;
    });
    return more ? found : undefined;
  }

  #list(depth: number): Literal | undefined {
    const found: Literal[] = [];
    const close = CLOSING[this.text[this.at] ?? ""] ?? "]";
    const whole = this.#members(close, () => {
      const value = this.value(depth + 1);
      if (value !== undefined) found.push(value);
      return value !== undefined;
    });
    return whole ? found : undefined;
  }

  /** What stands between brackets, with commas; false when something else stands there. */
  #members(close: string, member: () => boolean): boolean {
    this.at += 1;
    for (;;) {
      this.#space();
      if (this.text[this.at] === close) {
        this.at += 1;
        return true;
      }
      if (!member()) return false;
      this.#space();
      if (this.text[this.at] === ",") this.at += 1;
      else if (this.text[this.at] !== close) return false;
    }
  }

  #key(): string | undefined {
    this.#space();
    const char = this.text[this.at] ?? "";
    if (`"'\``.includes(char) && char !== "") return this.#string();
    return this.#match(/[\p{L}_$][\w$-]*|\d+/uy);
  }

  #string(): string | undefined {
    if (/[bru]/.test(this.text[this.at] ?? "")) this.at += 1;
    const quote = this.text[this.at] ?? "";
    let found = "";
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      const char = this.text[at];
      if (char === quote) {
        this.at = at + 1;
        return found;
      }
      if (char === "\\") at += 1;
      found += char === "\\" ? unescaped(this.text[at]) : char;
    }
    return undefined;
  }

  #word(): Literal | undefined {
    const word = this.#match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z]+/y);
    if (word === undefined) return undefined;
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    return /^-?\d/.test(word) ? Number(word) : undefined;
  }

  #space(): void {
    this.#match(/\s+/y);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

function unescaped(char: string | undefined): string {
  if (char === "n" || char === "r" || char === "t") return char === "t" ? "\t" : "\n";
  return char ?? "";
}
