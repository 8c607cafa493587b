import type { SpanError, SpanStatus } from "@berth/store";

/** How a run of a LangChain program ended by a throw, and the stack that came along. */
type RunFailure = { status: SpanStatus; error: SpanError | null; stack: string | null };

type Thrown = { type: string; message: string; stack: string | null };

const LONGEST_TEXT = 65_536;
const LONGEST_STACK = 4_096;
/** Where a stack begins: in Python before the lines, in JavaScript with the first of them. */
const TRACEBACK = "Traceback (most recent call last)";
const FRAME = "\n    at ";
const pythonName = /^([A-Za-z_][\w.]*)\(/;
const named = /^(?:Uncaught )?([A-Za-z_$][\w$.]*): /;

/** Runs that pause or are told to stop end by a throw that is no failure. */
const pauses = new Set(["GraphInterrupt", "NodeInterrupt", "GraphBubbleUp"]);
const cancels = new Set(["CancelledError", "AbortError", "KeyboardInterrupt", "GeneratorExit"]);

/** Reads what went wrong out of the one text in which the clients send it. */
export function failureOf(text: string): RunFailure {
  const { type, message, stack } = thrownIn(text.slice(0, LONGEST_TEXT).trim());
  const name = type.split(".").at(-1) ?? type;
  if (name === "ParentCommand") return { status: "success", error: null, stack: null };
  if (pauses.has(name)) return { status: "interrupted", error: null, stack: null };
  const status = cancels.has(name) ? "cancelled" : "error";
  return { status, error: { type: name, message }, stack: stack === null ? null : cut(stack) };
}

/** Where it was thrown stands at the end in Python, in JavaScript at the beginning. */
const cut = (stack: string) =>
  stack.startsWith(TRACEBACK) ? stack.slice(-LONGEST_STACK) : stack.slice(0, LONGEST_STACK);

function thrownIn(text: string): Thrown {
  const traceback = text.indexOf(TRACEBACK);
  const frame = text.indexOf(FRAME);
  const end = traceback >= 0 ? traceback : frame;
  const head = end < 0 ? text : text.slice(0, end).trimEnd();
  const stack = end < 0 ? null : text.slice(end).trimStart();
  const python = frame < 0 ? pythonName.exec(head) : null;
  // `ValueError('no such city')`
  if (python?.[1] && head.endsWith(")"))
    return { type: python[1], message: unquoted(head.slice(python[0].length, -1)), stack };
  const repeated = frame < 0 ? undefined : messageThenStack(head);
  if (repeated) return { ...repeated, stack };
  // `TypeError: no such city`
  const own = named.exec(head);
  if (own?.[1]) return { type: own[1], message: head.slice(own[0].length).trim(), stack };
  return { type: "Error", message: head, stack };
}

/** LangChain's own form: the message, an empty line, and the stack, which repeats the message behind a name. */
function messageThenStack(head: string): Omit<Thrown, "stack"> | undefined {
  const half = head.length / 2;
  // Of two equal messages the second one begins behind the middle, which the name is longer than.
  const gap = head.lastIndexOf("\n\n", half);
  for (const at of [gap, head.indexOf("\n\n")]) {
    if (at < 0) continue;
    const rest = head.slice(at + 2);
    const type = named.exec(rest)?.[1];
    if (type && rest.endsWith(head.slice(0, at).trim())) return { type, message: head.slice(0, at).trim() };
  }
  return undefined;
}

/** The one text of an exception's arguments, as Python writes it. */
function unquoted(args: string): string {
  const text = args.replace(/,$/, "").trim();
  const quote = text[0];
  if ((quote !== "'" && quote !== '"') || text.length < 2 || text.at(-1) !== quote) return text;
  const inner = text.slice(1, -1);
  // More than one argument: better all of them as they are.
  if (inner.replaceAll(/\\./g, "").includes(quote)) return text;
  return inner.replaceAll(/\\([\\'"nt])/g, (_, sign: string) => ({ n: "\n", t: "\t" })[sign] ?? sign);
}
