import type { SpanError, SpanStatus } from "@berth/store";

/** How a run of a LangChain program failed, and the stack that came along. */
export type RunFailure = { status: SpanStatus; error: SpanError | null; stack: string | null };

const NAME = String.raw`[A-Za-z_$][\w$.]*`;
const TRACEBACK = "Traceback (most recent call last)";
/** `ValueError('no such city')`, then the traceback: what Python's clients send. */
const pythonRepr = new RegExp(String.raw`^(${NAME})\(([\s\S]*?)\)\s*(?:Traceback \(most recent|$)`);
/** `TypeError: no such city`: what an error says of itself. */
const named = new RegExp(String.raw`^(?:Uncaught )?(${NAME}): ([\s\S]*)$`);
/** A message, then the stack, which begins with the error's name. */
const stackStart = new RegExp(String.raw`\n\n(${NAME})(?::[^\n]*)?\n(?:[\s\S]*?\n)?\s+at `);
const LONGEST_STACK = 4_096;

/** Runs that pause or are told to stop end by a throw that is no failure. */
const pauses = new Set(["GraphInterrupt", "NodeInterrupt", "GraphBubbleUp"]);
const cancels = new Set(["CancelledError", "AbortError", "KeyboardInterrupt", "GeneratorExit"]);

/** Reads what went wrong out of the one text in which the clients send it. */
export function failureOf(text: string): RunFailure {
  const { type, message, stack } = readError(text.trim());
  const name = type.split(".").at(-1) ?? type;
  if (name === "ParentCommand") return { status: "success", error: null, stack: null };
  if (pauses.has(name)) return { status: "interrupted", error: null, stack: null };
  const status = cancels.has(name) ? "cancelled" : "error";
  return { status, error: { type: name, message }, stack: stack?.slice(0, LONGEST_STACK) ?? null };
}

function readError(text: string): { type: string; message: string; stack: string | null } {
  const python = pythonRepr.exec(text);
  if (python) {
    const at = text.indexOf(TRACEBACK);
    const stack = at === -1 ? null : text.slice(at);
    return { type: python[1] ?? "Error", message: unquoted(python[2] ?? ""), stack };
  }
  const at = stackStart.exec(text);
  if (at)
    return { type: at[1] ?? "Error", message: text.slice(0, at.index), stack: text.slice(at.index + 2) };
  const [head, stack] = withoutStack(text);
  const own = named.exec(head);
  if (own) return { type: own[1] ?? "Error", message: (own[2] ?? "").trim(), stack };
  return { type: "Error", message: head, stack };
}

/** A text that goes on with the lines of a stack, and those. */
function withoutStack(text: string): [string, string | null] {
  const at = text.search(/\n\s+at |\n*Traceback \(most recent call last\)/);
  return at <= 0 ? [text, null] : [text.slice(0, at).trim(), text.slice(at).trim()];
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
