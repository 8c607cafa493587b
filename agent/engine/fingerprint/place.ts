/** A frame of the project's own code: the file, with the folder that it is in, and the function. */
export type Frame = { file: string; function: string | null };

/** A longer stack tells nothing more of where something was thrown. */
const MOST_LINES = 200;

/** `at load (/srv/app/src/load.ts:12:9)`, `at async /srv/app/a.ts:3:1` */
const JAVASCRIPT = /^\s*at (?:async )?(?:(.+?) \()?((?:file:\/\/)?[^()\s][^()]*?)(?::\d+)?(?::\d+)?\)?$/;
/** `File "/srv/app/agent.py", line 12, in load` */
const PYTHON = /^\s*File "([^"\n]+)", line \d+(?:, in (.+))?$/;

/** Code that the project did not write: packages, the runtime, Berth's own executable. */
const FOREIGN =
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|\$bunfs|lib[\\/]python[\d.]+)[\\/]|^(?:node|bun|internal|native|unknown|<)|\[native code\]|^:?\d*$/;
/** Functions and files that only pass on what others have to say: who called them tells more. */
const PASSES_ON =
  /^_?(?:(?:throw|raise|fail|assert|invariant|check|ensure|require|expect|panic|bail|abort|die|reject|wrap|retry|attempt|request|fetch|call|send|query|execute|run|invoke|handle|must|ok|err|to|make)(?:_?(?:if|or|with|for|on|error|err|failed|json|api|http|url|not_?found|that|unless|retry|throw|fail|exists?)\w*)?|error|errors)$/i;
const ITEM = /[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+/gi;

/**
 * Where in the project's code something was thrown: the uppermost frame that is the project's own, and the one below it
 * where the first only passes errors on. Lines and columns are left out, as an edit above moves them, and so is
 * the folder of the revision.
 * @param stack as JavaScriptCore, V8 or Python writes it
 */
export function framesOf(stack: string): Frame[] {
  const own = ownFrames(stack);
  const [first, second] = own;
  if (!first) return [];
  return second && (first.function === null || PASSES_ON.test(lastName(first.function)))
    ? [first, second]
    : [first];
}

function ownFrames(stack: string): Frame[] {
  const lines = stack.split("\n", MOST_LINES);
  const python = lines.flatMap((line) => pythonFrame(line));
  // Python writes the innermost frame last, and what an exception came from above it.
  if (python.length > 0) return python.reverse();
  return lines.flatMap((line) => javaScriptFrame(line));
}

function pythonFrame(line: string): Frame[] {
  const [, file, name] = PYTHON.exec(line) ?? [];
  if (file === undefined || FOREIGN.test(file)) return [];
  return [{ file: shortFile(file), function: name === undefined || name === "<module>" ? null : name }];
}

function javaScriptFrame(line: string): Frame[] {
  const [, name, file] = JAVASCRIPT.exec(line) ?? [];
  if (file === undefined || FOREIGN.test(file.replace(/^file:\/\//, ""))) return [];
  return [{ file: shortFile(file), function: functionName(name) }];
}

/** Two builds of a project are in two folders: only the last one counts, without the numbers of revisions. */
function shortFile(file: string): string {
  const parts = file
    .replace(/^file:\/\//, "")
    .replace(/\?.*$/, "")
    .split(/[\\/]/);
  const [folder, name] = [parts.at(-2) ?? "", parts.at(-1) ?? ""];
  return folder === "" ? name : `${folder.replace(ITEM, "#")}/${name}`;
}

function functionName(name: string | undefined): string | null {
  const bare = name?.replace(/^(?:async |new )/, "").replace(/ \[as .*\]$/, "");
  if (bare === undefined || /^(?:<anonymous>|anonymous|Object\.<anonymous>|eval|module code)$/.test(bare))
    return null;
  // V8 says `Object.load` where JavaScriptCore says `load`.
  return bare.replace(/^(?:Object|Function|Module)\./, "").replace(/\.<anonymous>$/, "") || null;
}

const lastName = (name: string) => name.split(".").at(-1) ?? name;
