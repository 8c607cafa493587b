import { WORDS } from "./words.tsx";
/** One line of the editor of an environment. */
export type Row = {
  key: string;
  name: string;
  /** What was typed; empty keeps what there is. */
  value: string;
  /** The deployment has it already, with a value that nobody sees. */
  isKept: boolean;
  isRemoved: boolean;
};

const MASK = "********";

/** What a deployment has, to begin editing with. */
export const rowsOf = (names: readonly string[]): Row[] =>
  names.map((name) => ({ key: `kept-${name}`, name, value: "", isKept: true, isRemoved: false }));

/** Variables to begin a new deployment with. */
export const newRows = (variables: readonly Variable[]): Row[] =>
  variables.map(({ name, value }) => ({ key: `read-${name}`, name, value, isKept: false, isRemoved: false }));

/** The rows that are sent, in the order in which they are. */
export const sentRows = (rows: readonly Row[]): Row[] =>
  rows.filter(({ name, isRemoved }) => name !== "" && !isRemoved);

/** The whole list as the server takes it: what it keeps is named by the mask. */
export const secretsOf = (rows: readonly Row[]): Variable[] =>
  sentRows(rows).map(({ name, value, isKept }) => ({ name, value: isKept && value === "" ? MASK : value }));

/** What saving would do, in words; empty when it would do nothing. */
export function changesIn(rows: readonly Row[]): string {
  const added = rows.filter(({ name, isKept }) => !isKept && name !== "").length;
  const changed = rows.filter(({ value, isKept, isRemoved }) => isKept && !isRemoved && value !== "").length;
  const removed = rows.filter(({ isRemoved }) => isRemoved).length;
  return [
    added > 0 && WORDS.added(added),
    changed > 0 && WORDS.changed(changed),
    removed > 0 && WORDS.removed(removed),
  ]
    .filter(Boolean)
    .join(", ");
}

/** What keeps the rows from being saved, and in which of them; undefined when nothing does. */
export function faultIn(rows: readonly Row[]): { key: string; words: string } | undefined {
  const seen = new Set<string>();
  for (const { key, name, value, isRemoved } of rows) {
    const words = isRemoved ? undefined : wordsAbout(name, value, seen);
    if (words !== undefined) return { key, words };
    seen.add(name);
  }
}

function wordsAbout(name: string, value: string, before: ReadonlySet<string>): string | undefined {
  if (name === "") return value === "" ? undefined : WORDS.valueWithoutName;
  if (before.has(name)) return WORDS.nameTwice(name);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return WORDS.notAName(name);
}

/** The rows with variables in place of the one that they were pasted into; a name that is there gets the value. */
export function withPasted(rows: readonly Row[], into: string, variables: readonly Variable[]): Row[] {
  const values = new Map(variables.map(({ name, value }) => [name, value]));
  const changed = rows
    .filter(({ key, name }) => key !== into || name !== "")
    .map((row) => {
      const value = values.get(row.name);
      values.delete(row.name);
      return value === undefined ? row : { ...row, value, isRemoved: false };
    });
  return [...changed, ...newRows([...values].map(([name, value]) => ({ name, value })))];
}

/** A variable of a deployment's processes. */
type Variable = { name: string; value: string };

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
