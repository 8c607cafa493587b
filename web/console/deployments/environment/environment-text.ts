/** A variable of a deployment's processes. */
export type Variable = { name: string; value: string };

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/;

/** The variables of a dotenv text; lines that are none are left aside. The last of a name counts. */
export function readEnvironment(text: string): Variable[] {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (name !== undefined) found.set(name, plain(value));
  }
  return [...found].map(([name, value]) => ({ name, value }));
}

/** A value without its quotes, or without the comment behind it. */
function plain(value: string): string {
  const [, quote, inside = ""] = /^(["'`])(.*)\1(?:\s*#.*)?$/.exec(value) ?? [];
  if (quote === undefined) return value.replace(/(?:^|\s)#.*$/, "");
  return quote === '"' ? inside.replaceAll("\\n", "\n").replaceAll('\\"', '"') : inside;
}
