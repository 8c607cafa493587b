import { BadRequest, type Span, type WholeTrace } from "@berth/store";
import { instantOf } from "../http/index.ts";
import { errorOf, isAbout, statusOf } from "./run-answer.ts";

/** A filter as it was written: `and(eq(run_type, "llm"), gt(latency, "5s"))`. */
type FilterCall = { name: string; args: FilterArg[] };
type FilterArg =
  | { call: FilterCall }
  | { field: string }
  | { value: string | number | boolean | null }
  | { list: FilterArg[] };

const LONGEST = 4_096;
const DEEPEST = 20;
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|([()[\],]))/y;
const CONSTANTS: Record<string, boolean | null> = { true: true, false: false, null: null, None: null };

/** Reads the text of a filter. @throws BadRequest it is none */
function readFilter(text: string): FilterCall {
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

/** Whether a run of a trace is one that a filter means. */
export type RunTest = (span: Span, whole: WholeTrace) => boolean;

type Value = string | number | boolean | null;
type Field = (span: Span, whole: WholeTrace) => Value | readonly Value[];

const SECOND = 1_000;

/** What a filter may ask for. Times are in milliseconds, a latency in seconds. */
const FIELDS: Record<string, Field> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  run_type: ({ run_type }) => run_type,
  status: statusOf,
  error: errorOf,
  start_time: ({ start_time }) => start_time,
  end_time: ({ end_time }) => end_time,
  latency: ({ start_time, end_time }) => (end_time === null ? null : (end_time - start_time) / SECOND),
  first_token_time: ({ first_token_time }) => first_token_time,
  prompt_tokens: ({ input_tokens }) => input_tokens,
  completion_tokens: ({ output_tokens }) => output_tokens,
  total_tokens: ({ total_tokens }) => total_tokens,
  tags: ({ tags }) => tags,
  is_root: ({ parent_id }) => parent_id === null,
  parent_run_id: ({ parent_id }) => parent_id,
  trace_id: ({ trace_id }) => trace_id,
  session_id: ({ session_id }) => session_id,
  thread_id: ({ thread_id }) => thread_id,
  metadata_key: ({ metadata }) => Object.keys(metadata),
  metadata_value: ({ metadata }) => Object.values(metadata).map(plain),
  feedback_key: (span, { feedback }) =>
    feedback.filter((entry) => isAbout(entry, span)).map(({ key }) => key),
  feedback_score: (span, { feedback }) =>
    feedback.filter((entry) => isAbout(entry, span)).map(({ score }) => score),
};
const TIMES = new Set(["start_time", "end_time", "first_token_time"]);

type Compare = (own: Value, wanted: Value) => boolean;

const COMPARISONS: Record<string, Compare> = {
  eq: (own, wanted) => own === wanted,
  neq: (own, wanted) => own !== wanted,
  gt: ordered((own, wanted) => own > wanted),
  gte: ordered((own, wanted) => own >= wanted),
  lt: ordered((own, wanted) => own < wanted),
  lte: ordered((own, wanted) => own <= wanted),
  has: (own, wanted) => own === wanted,
};

/** Reads a filter in the clients' language. @throws BadRequest it cannot be read, or asks for what is not here */
export const runTest = (text: string): RunTest => testOf(readFilter(text));

/** Whether a text is in what a run is called, took, gave or failed with; upper and lower case are the same. */
export function searchTest(text: string): RunTest {
  const wanted = text.toLowerCase();
  return (span) =>
    [span.name, span.inputs, span.outputs, errorOf(span)].some((part) =>
      part?.toLowerCase().includes(wanted),
    );
}

function testOf({ name, args }: FilterCall): RunTest {
  switch (name) {
    case "and":
      return allOf(args.map(callOf));
    case "or": {
      const tests = args.map(callOf).map(testOf);
      return (...run) => tests.some((test) => test(...run));
    }
    case "not": {
      const test = allOf(args.map(callOf));
      return (...run) => !test(...run);
    }
    case "search": {
      const [text] = args.map(valueIn);
      return searchTest(String(text ?? ""));
    }
    case "in":
      return isIn(args);
    default:
      return comparison(name, args);
  }
}

/** A key and a value of metadata side by side mean one entry. */
function allOf(calls: FilterCall[]): RunTest {
  const wanted = (field: string) =>
    calls.find(
      ({ name, args: [first] }) => name === "eq" && first && "field" in first && first.field === field,
    );
  const [key, value] = [wanted("metadata_key"), wanted("metadata_value")];
  const tests = calls.filter((call) => !(key && value && (call === key || call === value))).map(testOf);
  if (key && value) {
    const [name, text] = [valueIn(key.args[1]), valueIn(value.args[1])];
    tests.push(({ metadata }) => plain(metadata[String(name)]) === text);
  }
  return (...run) => tests.every((test) => test(...run));
}

function isIn([field, list]: FilterArg[]): RunTest {
  const { read, name } = fieldOf(field);
  if (!list || !("list" in list)) throw new BadRequest("in(…) takes a field and a list in brackets");
  const wanted = new Set(list.list.map((arg) => wantedOf(name, valueIn(arg))));
  return (...run) => [read(...run)].flat().some((own) => wanted.has(own));
}

function comparison(name: string, [field, given]: FilterArg[]): RunTest {
  const compare = COMPARISONS[name];
  if (!compare) throw new BadRequest(`A filter has no function ${name}(…)`);
  const { read, name: fieldName } = fieldOf(field);
  const wanted = wantedOf(fieldName, valueIn(given));
  if (name === "neq") return (...run) => [read(...run)].flat().every((own) => compare(own, wanted));
  return (...run) => [read(...run)].flat().some((own) => compare(own, wanted));
}

function fieldOf(arg: FilterArg | undefined): { name: string; read: Field } {
  const name = arg && "field" in arg ? arg.field : "";
  const read = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (!read)
    throw new BadRequest(
      `A filter has no field ${name || "like this"}; the fields are ${Object.keys(FIELDS).join(", ")}`,
    );
  return { name, read };
}

function callOf(arg: FilterArg): FilterCall {
  if ("call" in arg) return arg.call;
  throw new BadRequest("and(…), or(…) and not(…) take comparisons");
}

function valueIn(arg: FilterArg | undefined): Value {
  if (arg && "value" in arg) return arg.value;
  // Python's clients write words without quotes, too.
  if (arg && "field" in arg) return arg.field;
  throw new BadRequest("A comparison takes a field and a value");
}

/** What is compared with: a time as its instant, a latency such as `1.5s` or `200ms` in seconds. */
function wantedOf(field: string, value: Value): Value {
  if (typeof value !== "string") return value;
  if (TIMES.has(field)) {
    const instant = instantOf(value);
    if (instant === undefined) throw new BadRequest(`${field} is compared with a time, not "${value}"`);
    return instant;
  }
  if (field !== "latency") return value;
  const [, number, unit] = /^([\d.]+)(ms|s|m)?$/.exec(value) ?? [];
  if (number === undefined) throw new BadRequest(`latency is compared with seconds, not "${value}"`);
  return Number(number) * (unit === "ms" ? 1 / SECOND : unit === "m" ? 60 : 1);
}

function ordered(holds: (own: number | string, wanted: number | string) => boolean): Compare {
  return (own, wanted) => {
    if (typeof own === "number" && typeof wanted === "number") return holds(own, wanted);
    return typeof own === "string" && typeof wanted === "string" && holds(own, wanted);
  };
}

const plain = (value: unknown): Value =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null
    ? value
    : (JSON.stringify(value) ?? null);
