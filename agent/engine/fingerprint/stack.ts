/** Longer than any message that says something; what is behind it is a stack or data. */
const READ = 20_000;

/** Python draws groups of exceptions with a frame around each. */
const FRAME = /^ *(?:\| ?|\+-.*$|\+ ?)/gm;
const BARS = /^ *\| +(?:File "|Traceback)/m;
const TRACEBACK = "Traceback (most recent call last):";

/** What Node prints behind a stack: the other fields of the error. */
const FIELDS = /^(\s+at [^\n]*) \{\n(?:[ \t]+[^\n]*\n)*\}/gm;

/** Lines that say where, not what. */
const NOISE = [
  /^\s*File "[^"\n]*", line \d+.*\n(?:[ \t]{4,}.*\n)*/gm,
  /^\s+at \S.*$/gm,
  /^\s*\.\.\. \d+ more$/gm,
  /^During task with name .*$/gm,
  /^note: run with `RUST_BACKTRACE.*$/gm,
  /^\s*(?:Troubleshooting URL|For troubleshooting, visit|For more information check):.*$/gm,
  /^\s*For further information visit .*$/gm,
  /^\s*Please fix (?:your mistakes|the error and try again)\.?\s*$/gm,
];

/** From here on a message tells of the one case, not of the kind. */
const TAIL =
  /\n(?:DETAIL|HINT|CONTEXT|LINE \d+): [\s\S]*$|\nparams: [\s\S]*$|\n\s*\[SQL: [\s\S]*$|\nCall log:[\s\S]*$|\n\s*On instance[[:][\s\S]*$|\ngoroutine \d+ \[[\s\S]*$/;

/** Of a browser's log, the element that was not there. */
const WAITED = /\nCall log:\n[ \t]*- (waiting for [^\n]*)[\s\S]*$/;

/** A message without its stack: for chained errors that of the last one, which is what was thrown in the end. */
export function withoutStack(message: string): string {
  let text = message.slice(0, READ).replaceAll("\r\n", "\n");
  if (BARS.test(text)) text = text.replace(FRAME, "");
  if (text.includes(TRACEBACK)) text = lastOfTraceback(text);
  text = text.replace(FIELDS, "$1");
  for (const pattern of NOISE) text = text.replace(pattern, "");
  return text.replace(WAITED, "\n$1").replace(TAIL, "").trim();
}

/** Python prints the message behind the frames, which are indented. */
function lastOfTraceback(text: string): string {
  const lines = text.slice(text.lastIndexOf(TRACEBACK) + TRACEBACK.length).split("\n");
  const first = lines.findIndex((line) => /^\S/.test(line));
  return first < 0 ? text : lines.slice(first).join("\n");
}
