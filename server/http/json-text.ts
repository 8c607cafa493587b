/** Where a text stops being JSON (UTF-16 offset), in the words of Python's decoder, which clients know. */
type JsonFault = { position: number; reason: string };

/** What a text may hold. Reading it takes the longer the more of them there are, and nobody else is served meanwhile. */
const MOST_LEVELS = 1_000;
const MOST_VALUES = 500_000;
export const MOST_NAMES = 100_000;

/** So many steps of a {@link ShapeScan} take a few milliseconds. */
export const STEPS_A_TURN = 500_000;

/** Where something stands in a text: from here, and to behind there. */
type TextRange = [from: number, to: number];

/**
 * Looks at what of a JSON text stands outside its strings, in steps: how deep it nests and how much it holds.
 * @param piecesAt objects that stand so deep are pieces, read one by one: each of them may hold as much as a text
 */
export class ShapeScan {
  #at = 0;
  #isInString = false;
  #depth = 0;
  #held = { values: 0, names: 0 };
  #around = this.#held;
  #pieceBegan = 0;
  readonly pieces: TextRange[] = [];
  /** Why the text is not to be read; undefined while nothing is known against it. */
  excess: string | undefined;

  constructor(
    private readonly text: string,
    private readonly piecesAt?: number,
  ) {}

  /** Goes on for so many steps; true when the text is through, or found to hold too much. */
  advance(steps = Number.POSITIVE_INFINITY): boolean {
    const { text } = this;
    for (let step = 0; step < steps; step += 1) {
      if (this.#isInString) {
        const end = text.indexOf('"', this.#at);
        if (end === -1) return true;
        this.#isInString = isEscaped(text, end);
        this.#at = end + 1;
      } else if (this.#at >= text.length || this.excess !== undefined) return true;
      else this.#take(text.charCodeAt(this.#at++));
    }
    return false;
  }

  #take(code: number): void {
    if (code === quote) this.#isInString = true;
    else if (code === openList || code === openObject) this.#open(code === openObject);
    else if (code === closeList || code === closeObject) this.#close(code === closeObject);
    else if (code === comma) this.#hold("values", MOST_VALUES);
    else if (code === colon) this.#hold("names", MOST_NAMES);
  }

  #open(isObject: boolean): void {
    if (isObject && this.#depth === this.piecesAt) {
      this.#pieceBegan = this.#at - 1;
      this.#around = this.#held;
      this.#held = { values: 0, names: 0 };
    }
    this.#depth += 1;
    if (this.#depth > MOST_LEVELS) this.excess = `nested more than ${MOST_LEVELS} levels deep`;
    this.#hold("values", MOST_VALUES);
  }

  #close(isObject: boolean): void {
    this.#depth -= 1;
    if (!isObject || this.#depth !== this.piecesAt) return;
    this.pieces.push([this.#pieceBegan, this.#at]);
    this.#held = this.#around;
  }

  #hold(what: "values" | "names", most: number): void {
    this.#held[what] += 1;
    if (this.#held[what] > most)
      this.excess = `holds more than ${most} ${what === "values" ? "values" : "named fields"}`;
  }
}

/**
 * Finds the fault of a text that `JSON.parse` refused; the engine's own message names no position. Walks with a
 * stack of its own, so that no nesting can exhaust the real one.
 */
export function jsonFaultOf(text: string): JsonFault {
  const open: string[] = [];
  let at = 0;
  let wants = "value" as Wants;
  for (;;) {
    at = skip(blank, text, at);
    const char = text.charAt(at);
    if ((wants === "item" && char === "]") || (wants === "first key" && char === "}")) {
      open.pop();
      wants = "end";
      at += 1;
    } else if (wants === "end") {
      if (open.length === 0) return { position: at, reason: "Extra data" };
      if (char === open.at(-1)) open.pop();
      else if (char === ",") wants = open.at(-1) === "}" ? "key" : "value";
      else return { position: at, reason: "Expecting ',' delimiter" };
      at += 1;
    } else if (wants === "colon") {
      if (char !== ":") return { position: at, reason: "Expecting ':' delimiter" };
      wants = "value";
      at += 1;
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (typeof end !== "number") return end;
      wants = wants === "key" || wants === "first key" ? "colon" : "end";
      at = end;
    } else if (wants === "key" || wants === "first key") {
      return { position: at, reason: "Expecting property name enclosed in double quotes" };
    } else if (char === "[" || char === "{") {
      open.push(char === "[" ? "]" : "}");
      wants = char === "[" ? "item" : "first key";
      at += 1;
    } else {
      const end = skip(scalar, text, at);
      if (end === at) return { position: at, reason: "Expecting value" };
      wants = "end";
      at = end;
    }
  }
}

type Wants = "value" | "item" | "key" | "first key" | "colon" | "end";

const [quote, openList, closeList, openObject, closeObject] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon] = [0x2c, 0x3a];
const blank = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code < 0x20) return { position: at, reason: "Invalid control character at" };
    const next = code === 0x5c ? skip(escapeSequence, text, at) : at + 1;
    if (next === at) return { position: at, reason: "Invalid \\escape" };
    at = next;
  }
  return { position: start, reason: "Unterminated string starting at" };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}
