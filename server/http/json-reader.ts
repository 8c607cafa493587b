import { MAX_JSON_DEPTH, MAX_JSON_VALUES, MOST_NAMES } from "./json-text.ts";

/** Where a text stops being JSON (UTF-16 offset), in the words of Python's decoder, which clients know. */
type JsonFault = { position: number; reason: string };

type JsonResult = { value: unknown } | { fault: JsonFault } | { excess: string };

type Wants = "value" | "item" | "key" | "first key" | "colon" | "end";

/** An object or a list whose end is not read yet. */
type OpenContainer = { end: "]" | "}"; value: unknown[] | Record<string, unknown>; key: string };

/** A string whose end is not read yet: `decoded` is its value up to `from`. */
type OpenString = { start: number; from: number; decoded: string };

/** Maximum UTF-16 units of a string that one call of `JSON.parse` decodes. */
const PIECE_LENGTH = 65_536;

const blank = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these characters in strings.
const plainCharacters = /[^"\\\u0000-\u001f]{1,65536}/y;

/**
 * Reads a JSON text in steps, so that others are served while it reads a large one: `JSON.parse` takes a second for
 * 30 MB of escape sequences. Also finds where a text is no JSON, which the engine's own message does not say. Its own
 * stack is as deep as the text nests, so no text exhausts the real one.
 */
export class JsonReader {
  #at = 0;
  #wants: Wants = "value";
  #string: OpenString | undefined;
  readonly #open: OpenContainer[] = [];
  #root: unknown;
  #values = 0;
  #names = 0;
  #result: JsonResult | undefined;

  constructor(private readonly text: string) {}

  /** Reads at most `steps` tokens, or parts of strings; undefined while the text is not read to its end. */
  advance(steps: number): JsonResult | undefined {
    for (let left = steps; left > 0 && !this.#result; left -= 1) {
      if (this.#string) this.#readString(this.#string);
      else this.#readToken();
    }
    return this.#result;
  }

  /** Reads the whole text at once. */
  finish(): JsonResult {
    for (;;) {
      const result = this.advance(1_000);
      if (result) return result;
    }
  }

  #readToken(): void {
    this.#at = matchEnd(blank, this.text, this.#at);
    const char = this.text.charAt(this.#at);
    const wants = this.#wants;
    if ((wants === "item" && char === "]") || (wants === "first key" && char === "}")) this.#close();
    else if (wants === "end") this.#readEnd(char);
    else if (wants === "colon") this.#readColon(char);
    else if (char === '"') {
      this.#string = { start: this.#at, from: this.#at + 1, decoded: "" };
      this.#at += 1;
    } else if (wants === "key" || wants === "first key")
      this.#fail("Expecting property name enclosed in double quotes");
    else if (char === "[" || char === "{") this.#openContainer(char);
    else this.#readScalar();
  }

  #readColon(char: string): void {
    if (char !== ":") {
      this.#fail("Expecting ':' delimiter");
      return;
    }
    this.#names += 1;
    if (this.#names > MOST_NAMES) this.#result = { excess: `holds more than ${MOST_NAMES} named fields` };
    this.#wants = "value";
    this.#at += 1;
  }

  #readScalar(): void {
    const end = matchEnd(scalar, this.text, this.#at);
    if (end === this.#at) {
      this.#fail("Expecting value");
      return;
    }
    const value: unknown = JSON.parse(this.text.slice(this.#at, end));
    this.#at = end;
    this.#add(value);
  }

  /** Reads what follows a value. */
  #readEnd(char: string): void {
    const container = this.#open.at(-1);
    if (!container) {
      this.#result =
        this.#at >= this.text.length
          ? { value: this.#root }
          : { fault: { position: this.#at, reason: "Extra data" } };
    } else if (char === container.end) this.#close();
    else if (char === ",") {
      this.#countValue();
      this.#wants = container.end === "}" ? "key" : "value";
      this.#at += 1;
    } else this.#fail("Expecting ',' delimiter");
  }

  #openContainer(char: "[" | "{"): void {
    const end = char === "[" ? "]" : "}";
    this.#open.push({ end, value: end === "]" ? [] : {}, key: "" });
    if (this.#open.length > MAX_JSON_DEPTH)
      this.#result = { excess: `nested more than ${MAX_JSON_DEPTH} levels deep` };
    this.#countValue();
    this.#wants = end === "]" ? "item" : "first key";
    this.#at += 1;
  }

  #close(): void {
    const container = this.#open.pop();
    this.#at += 1;
    this.#add(container?.value);
  }

  #countValue(): void {
    this.#values += 1;
    if (this.#values > MAX_JSON_VALUES)
      this.#result = { excess: `holds more than ${MAX_JSON_VALUES} values` };
  }

  /** Puts a value where it belongs: into the innermost open container, or at the root. */
  #add(value: unknown): void {
    this.#wants = "end";
    const container = this.#open.at(-1);
    if (!container) this.#root = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else if (container.key !== "__proto__") container.value[container.key] = value;
    // As JSON.parse does: an assignment would set the prototype.
    else
      Object.defineProperty(container.value, container.key, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
  }

  /** Reads a run of plain characters, an escape sequence, or the end of a string. */
  #readString(string: OpenString): void {
    const { text } = this;
    const code = text.charCodeAt(this.#at);
    if (code === quote) this.#endString(string.decoded + this.#decoded(string));
    else if (this.#at >= text.length) this.#fail("Unterminated string starting at", string.start);
    else if (code < 0x20) this.#fail("Invalid control character at");
    else this.#readCharacters(string, code === backslash ? escapeSequence : plainCharacters);
  }

  #readCharacters(string: OpenString, pattern: RegExp): void {
    const end = matchEnd(pattern, this.text, this.#at);
    if (end === this.#at) {
      this.#fail("Invalid \\escape");
      return;
    }
    this.#at = end;
    if (end - string.from < PIECE_LENGTH) return;
    string.decoded += this.#decoded(string);
    string.from = end;
  }

  #decoded({ from }: OpenString): string {
    return from === this.#at ? "" : JSON.parse(`"${this.text.slice(from, this.#at)}"`);
  }

  #endString(value: string): void {
    this.#string = undefined;
    this.#at += 1;
    const container = this.#open.at(-1);
    if (container && (this.#wants === "key" || this.#wants === "first key")) {
      container.key = value;
      this.#wants = "colon";
    } else this.#add(value);
  }

  #fail(reason: string, position = this.#at): void {
    this.#result = { fault: { position, reason } };
  }
}

const [quote, backslash] = [0x22, 0x5c];

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
