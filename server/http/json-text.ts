/** What a text may hold. Reading it takes the longer the more of them there are, and nobody else is served meanwhile. */
export const MAX_JSON_DEPTH = 1_000;
export const MAX_JSON_VALUES = 500_000;
export const MOST_NAMES = 100_000;

/** So many steps of a {@link ShapeScan} take a few milliseconds, also where each of them ends a string. */
export const STEPS_A_TURN = 50_000;

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
    else if (code === comma) this.#hold("values", MAX_JSON_VALUES);
    else if (code === colon) this.#hold("names", MOST_NAMES);
  }

  #open(isObject: boolean): void {
    if (isObject && this.#depth === this.piecesAt) {
      this.#pieceBegan = this.#at - 1;
      this.#around = this.#held;
      this.#held = { values: 0, names: 0 };
    }
    this.#depth += 1;
    if (this.#depth > MAX_JSON_DEPTH) this.excess = `nested more than ${MAX_JSON_DEPTH} levels deep`;
    this.#hold("values", MAX_JSON_VALUES);
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

const [quote, openList, closeList, openObject, closeObject] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon] = [0x2c, 0x3a];
function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}
