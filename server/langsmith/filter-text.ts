import { BadRequest } from "@berth/store";

/** A filter as it was written: `and(eq(run_type, "llm"), gt(latency, "5s"))`. */
export type FilterCall = { name: string; args: FilterArg[] };
export type FilterArg =
  | { call: FilterCall }
  | { field: string }
  | { value: string | number | boolean | null }
  | { list: FilterArg[] };

const LONGEST = 4_096;
const DEEPEST = 20;
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|([()[\],]))/y;
const CONSTANTS: Record<string, boolean | null> = { true: true, false: false, null: null, None: null };

/** Reads the text of a filter. @throws BadRequest it is none */
export function readFilter(text: string): FilterCall {
  if (text.length > LONGEST) throw new BadRequest(`A filter has at most ${LONGEST} characters`);
  const reader = new Reader(text);
  const arg = reader.arg(0);
  reader.end();
  if (!("call" in arg)) throw bad(text, 0);
  return arg.call;
}

class Reader {
  #at = 0;
  #token: RegExpExecArray | null = null;

  constructor(private readonly text: string) {
    this.#step();
  }

  arg(depth: number): FilterArg {
    if (depth > DEEPEST) throw new BadRequest(`A filter is at most ${DEEPEST} deep`);
    const [, quoted, number, name, sign] = this.#token ?? [];
    this.#step();
    if (quoted !== undefined) return { value: quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1") };
    if (number !== undefined) return { value: Number(number) };
    if (sign === "[") return { list: this.#until("]", depth) };
    if (name === undefined) throw bad(this.text, this.#at);
    if (this.#token?.[4] === "(") {
      this.#step();
      return { call: { name, args: this.#until(")", depth) } };
    }
    const constant = CONSTANTS[name];
    return constant === undefined ? { field: name } : { value: constant };
  }

  end(): void {
    if (this.#token !== null || this.text.slice(this.#at).trim() !== "") throw bad(this.text, this.#at);
  }

  #until(closing: string, depth: number): FilterArg[] {
    const args: FilterArg[] = [];
    while (this.#token?.[4] !== closing) {
      args.push(this.arg(depth + 1));
      if (this.#token?.[4] === ",") this.#step();
      else if (this.#token?.[4] !== closing) throw bad(this.text, this.#at);
    }
    this.#step();
    return args;
  }

  #step(): void {
    TOKEN.lastIndex = this.#at;
    this.#token = TOKEN.exec(this.text);
    if (this.#token) this.#at = TOKEN.lastIndex;
  }
}

const bad = (text: string, at: number) =>
  new BadRequest(
    `The filter cannot be read at character ${at}: ${text.slice(Math.max(0, at - 20), at + 20)}`,
  );
