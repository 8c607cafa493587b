/** A piece of a markdown text that is rendered, and kept, by itself. */
export type Block = {
  /** `prose` is Markdown; `code` is the inside of a fence and `plain` prose beyond a limit, which need no parser. */
  kind: "prose" | "code" | "plain";
  text: string;
  /** What a fence says its language is. */
  language?: string;
  /** Whether more text could still change it. */
  open: boolean;
  /** A later piece of the paragraph or the list before it. */
  joined?: "paragraph" | "list";
};

/** A text that was split, so that the next, longer one need not be split from its start. */
type Split = { text: string; blocks: Block[]; settled: number; settledLength: number };

export const NO_BLOCKS: Split = { text: "", blocks: [], settled: 0, settledLength: 0 };

const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const FENCE = /^( {0,3})(`{3,}|~{3,})([^`\n]*)$/;
const CLOSING = /^ {0,3}(`+|~+)[ \t]*$/;
const LIST_ITEM = /^ {0,3}([-+*]|\d{1,9}[.)])( |\t|$)/;
const LONGEST_LIST = 2_000;

/** Lines that belong together, as they stand in the text. */
type Part = {
  kind: "prose" | "list" | "code";
  lines: string[];
  /** Where it begins. */
  at: number;
  length: number;
  /** The marks that opened a fence. */
  fence?: string;
  closed?: boolean;
  /** The list before was long: these are more of its items. */
  continues?: boolean;
};

/**
 * Splits a text into blocks. What `before` (the split of a beginning of this text) holds as settled is taken
 * over unchanged: a text that grows by a token costs only its end.
 */
export function splitBlocks(text: string, before: Split = NO_BLOCKS): Split {
  const grows = before.text.length > 0 && text.startsWith(before.text);
  const kept = grows ? before.blocks.slice(0, before.settled) : [];
  const start = grows ? before.settledLength : 0;
  const parts = partsOf(text, start);
  const last = parts.at(-1);
  // A part is over when the next begins; what that is can be told from its first whole line.
  const sure = Math.max(0, parts.length - (last && last.lines.length < 2 ? 2 : 1));
  const settledBlocks = parts.slice(0, sure).flatMap((part) => blocksOf(part, false));
  const openBlocks = parts.slice(sure).flatMap((part) => blocksOf(part, part === last));
  return {
    text,
    blocks: [...kept, ...settledBlocks, ...openBlocks],
    settled: kept.length + settledBlocks.length,
    settledLength: parts[sure]?.at ?? start,
  };
}

/** The blocks of a text that is whole; one with reference definitions stays together, as they work across it. */
export function wholeBlocks(text: string): Block[] {
  if (DEFINITION.test(text)) return [{ kind: "prose", text, open: false }];
  return splitBlocks(text).blocks.map((block) => ({ ...block, open: false }));
}

function partsOf(text: string, start: number): Part[] {
  const parts: Part[] = [];
  let at = start;
  let afterGap = true;
  for (const line of text.slice(start).split("\n")) {
    const last = parts.at(-1);
    const inFence = last?.kind === "code" && !last.closed;
    const isBlank = line.trim() === "";
    if (last && (inFence || isBlank || goesOn(last, line, afterGap))) addLine(last, line);
    else if (!isBlank) parts.push(newPart(line, at, last));
    afterGap = isBlank && !inFence;
    at += line.length + 1;
  }
  return parts;
}

/** Whether a line belongs to what stands before it. */
function goesOn(last: Part, line: string, afterGap: boolean): boolean {
  if (last.kind === "code" || isFence(line, last.kind)) return false;
  if (last.kind === "prose") return !afterGap || /^( {4}|\t)/.test(line);
  if (LIST_ITEM.test(line) && !line.startsWith(" ")) return last.length < LONGEST_LIST;
  return !afterGap || /^(\s{2,}|\t)/.test(line);
}

/** A fence that is indented may be part of a list's item. */
function isFence(line: string, within: Part["kind"]): boolean {
  const [, indent] = FENCE.exec(line) ?? [];
  return indent !== undefined && (within !== "list" || indent === "");
}

function newPart(line: string, at: number, last: Part | undefined): Part {
  const [, , marks] = FENCE.exec(line) ?? [];
  const part = { lines: [line], at, length: line.length };
  if (marks) {
    return { ...part, kind: "code", fence: marks, closed: false };
  }
  if (!LIST_ITEM.test(line)) return { ...part, kind: "prose" };
  return { ...part, kind: "list", continues: last?.kind === "list" };
}

function addLine(part: Part, line: string): void {
  part.lines.push(line);
  part.length += line.length + 1;
  if (part.fence && closes(line, part.fence)) part.closed = true;
}

/** Whether a line closes a fence: at least as many of the same marks, and nothing else. */
function closes(line: string, fence: string): boolean {
  const marks = CLOSING.exec(line)?.[1];
  return marks?.startsWith(fence) ?? false;
}

function blocksOf(part: Part, open: boolean): Block[] {
  if (part.kind === "code") return [codeBlock(part, open)];
  const text = part.lines.join("\n").trimEnd();
  const pieces = part.kind === "prose" ? paragraphPieces(text) : [text];
  return pieces.map((piece, place): Block => {
    const joined = place > 0 ? "paragraph" : part.continues ? "list" : undefined;
    return {
      kind: "prose",
      text: piece,
      open: open && place === pieces.length - 1,
      ...(joined && { joined }),
    };
  });
}

function codeBlock({ lines, fence = "", closed = false }: Part, open: boolean): Block {
  const [first = "", ...rest] = lines;
  const end = closed ? rest.findLastIndex((line) => closes(line, fence)) : rest.length;
  const language = FENCE.exec(first)?.[3]?.trim().split(/\s/, 1)[0]?.toLowerCase();
  return {
    kind: "code",
    text: rest.slice(0, end).join("\n"),
    language: language || undefined,
    open: open && !closed,
  };
}

/** A paragraph longer than this goes on in a new line: no frame could parse and lay out ever more of it. */
const LONGEST = 2_000;
const LATEST = LONGEST * 1.5;
/** Headings, lists, quotes, tables: lines that are more than a paragraph. */
const OTHER = /^\s*([-+*#>|=]|\d+[.)] )/m;
/** What would be one of these at the start of a piece. */
const LOOKS_LIKE_OTHER = /^\s*([-+*#>|=`~<]|\d+[.)])/;

/** Cuts a long paragraph, best where a sentence ends, and where no emphasis, code or link is open. */
function paragraphPieces(text: string): string[] {
  if (text.length <= LATEST || OTHER.test(text)) return [text];
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > LATEST) {
    const cut = cutAt(rest);
    if (cut === undefined) break;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

function cutAt(text: string): number | undefined {
  let word: number | undefined;
  let balanced: number | undefined;
  const open = new OpenPairs();
  let counted = 0;
  for (let at = LONGEST; at < LATEST; at++) {
    if (text[at] !== " " || LOOKS_LIKE_OTHER.test(text.slice(at + 1, at + 12))) continue;
    word ??= at + 1;
    const endsSentence = /[.!?…:;]["”’)]?$/.test(text.slice(at - 2, at));
    if (balanced && !endsSentence) continue;
    // A space cuts no mark in two, so the counts of both sides add up.
    open.count(text.slice(counted, at));
    counted = at;
    if (!open.isBalanced()) continue;
    if (endsSentence) return at + 1;
    balanced = at + 1;
  }
  return balanced ?? word;
}

const PAIRS = [/`/g, /\*\*/g, /(?<!\*)\*(?!\*)/g, /~~/g];
const BRACKETS = [/\[/g, /\]/g];

/** Counts emphasis, code and brackets in the pieces of a text, so that no piece is read twice. */
class OpenPairs {
  readonly #pairs = PAIRS.map(() => 0);
  readonly #brackets = BRACKETS.map(() => 0);

  count(text: string): void {
    PAIRS.forEach((pattern, at) => {
      this.#pairs[at] = (this.#pairs[at] ?? 0) + (text.match(pattern)?.length ?? 0);
    });
    BRACKETS.forEach((pattern, at) => {
      this.#brackets[at] = (this.#brackets[at] ?? 0) + (text.match(pattern)?.length ?? 0);
    });
  }

  isBalanced(): boolean {
    return this.#pairs.every((count) => count % 2 === 0) && this.#brackets[0] === this.#brackets[1];
  }
}
