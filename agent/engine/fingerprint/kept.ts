/** A mark is one character of Unicode's private use area: no letter, no digit, in no message. */
const FIRST = 0xe000;
const MOST = 6_000;
const MARKS = /[\uE000-\uF8FF]/g;

/** Parts of a text that later rules must not touch. */
export class Kept {
  readonly #parts: string[] = [];

  /** Stands for `part` until {@link restore}. */
  keep(part: string): string {
    if (this.#parts.length >= MOST) return part;
    this.#parts.push(part);
    return String.fromCharCode(FIRST + this.#parts.length - 1);
  }

  /** Whether a part of it is kept already. */
  holds(text: string): boolean {
    return text.search(MARKS) >= 0;
  }

  restore(text: string): string {
    return text.replace(MARKS, (mark) => this.restore(this.#parts[mark.charCodeAt(0) - FIRST] ?? ""));
  }
}

/** Marks in a text that comes from outside would be taken for ours. */
export const withoutMarks = (text: string) => text.replace(MARKS, "");
