/** Longer than any message that says something; what is behind it is a stack or data. */
const READ = 20_000;

const TRACEBACK = "Traceback (most recent call last):";

/** Lines that say where, not what. */
const NOISE = [
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
  /\n(?:DETAIL|HINT|CONTEXT|LINE \d+): [\s\S]*$|\n\[SQL: [\s\S]*$|\nCall log:[\s\S]*$|\n\s*On instance[[:][\s\S]*$|\ngoroutine \d+ \[[\s\S]*$/;

/** A message without its stack: for chained errors that of the last one, which is what was thrown in the end. */
export function withoutStack(message: string): string {
  let text = message.slice(0, READ).replaceAll("\r\n", "\n");
  if (text.includes(TRACEBACK)) text = lastOfTraceback(text);
  for (const pattern of NOISE) text = text.replace(pattern, "");
  return text.replace(TAIL, "").trim();
}

/** Python prints the message behind the frames, which are indented. */
function lastOfTraceback(text: string): string {
  const bare = text.replace(/^ *(?:\| ?|\+-.*$|\+ ?)/gm, "");
  const lines = bare.slice(bare.lastIndexOf(TRACEBACK) + TRACEBACK.length).split("\n");
  const first = lines.findIndex((line) => /^\S/.test(line));
  return first < 0 ? text : lines.slice(first).join("\n");
}
