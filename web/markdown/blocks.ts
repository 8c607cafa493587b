import { Lexer } from "marked";

/** A piece of a markdown text that is rendered, and kept, by itself. */
export type Block = {
  /** `prose` is markdown; `code` is the inside of a fence, which needs no parser. */
  kind: "prose" | "code";
  text: string;
  /** What a fence says its language is. */
  language?: string;
  /** Whether more text could still change it. */
  open: boolean;
  /** A later piece of the paragraph before it: drawn on the same line. */
  joined?: boolean;
};

/** A text that was split, so that the next, longer one need not be split from its start. */
export type Split = { text: string; blocks: Block[]; settled: number; settledLength: number };

export const NO_BLOCKS: Split = { text: "", blocks: [], settled: 0, settledLength: 0 };

/** A paragraph longer than this is parsed in pieces, so that no frame has to parse all of it. */
const LONGEST_PIECE = 2_000;
/** What would be a heading, a list or a fence at the start of a piece. */
const LOOKS_LIKE_A_BLOCK = /^\s*(\d+[.)]|[-+*#>=`~<|])/;
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

type Token = { type: string; raw: string; text?: string; lang?: string; codeBlockStyle?: string };

/**
 * Splits a text into blocks. What `before` (the split of a beginning of this text) holds as settled is taken
 * over unchanged: a text that grows by a token costs only its last two blocks.
 */
export function splitBlocks(text: string, before: Split = NO_BLOCKS): Split {
  const grows = before.text.length > 0 && text.startsWith(before.text);
  const kept = grows ? before.blocks.slice(0, before.settled) : [];
  const start = grows ? before.settledLength : 0;
  const tokens = tokensOf(text.slice(start));
  // The last two may still become one: a list goes on behind an empty line.
  const sure = settledTokens(tokens);
  const settledBlocks = tokens.slice(0, sure).flatMap((token) => blocksOf(token, false));
  const openBlocks = tokens.slice(sure).flatMap((token, at, rest) => blocksOf(token, at === rest.length - 1));
  const length = tokens.slice(0, sure).reduce((sum, token) => sum + token.raw.length, start);
  const settled = kept.length + settledBlocks.length;
  return { text, blocks: [...kept, ...settledBlocks, ...openBlocks], settled, settledLength: length };
}

/** The blocks of a text that is whole; one with reference definitions stays together, as they work across it. */
export function wholeBlocks(text: string): Block[] {
  if (DEFINITION.test(text)) return [{ kind: "prose", text, open: false }];
  return splitBlocks(text).blocks.map((block) => ({ ...block, open: false }));
}

function tokensOf(text: string): Token[] {
  const lexer = new Lexer();
  return lexer.blockTokens(text, []).map((token) => ({
    type: token.type,
    raw: token.raw,
    text: "text" in token && typeof token.text === "string" ? token.text : undefined,
    lang: "lang" in token && typeof token.lang === "string" ? token.lang : undefined,
    codeBlockStyle: "codeBlockStyle" in token ? String(token.codeBlockStyle) : undefined,
  }));
}

function settledTokens(tokens: Token[]): number {
  let open = 0;
  let at = tokens.length;
  while (at > 0 && open < 2) {
    at--;
    if (tokens[at]?.type !== "space") open++;
  }
  return at;
}

function blocksOf(token: Token, last: boolean): Block[] {
  if (token.type === "space" || token.type === "def") return [];
  if (token.type === "code" && token.codeBlockStyle !== "indented") {
    const open = last && !/\n {0,3}(`{3,}|~{3,})[ \t]*\n?$/.test(token.raw);
    return [{ kind: "code", text: token.text ?? "", language: language(token.lang), open }];
  }
  const pieces = token.type === "paragraph" ? paragraphPieces(token.raw) : [token.raw];
  return pieces.map((text, at) => ({
    kind: "prose",
    text,
    open: last && at === pieces.length - 1,
    ...(at > 0 && { joined: true }),
  }));
}

function language(info: string | undefined): string | undefined {
  return info?.trim().split(/\s/, 1)[0]?.toLowerCase() || undefined;
}

/** Cuts a long paragraph where a sentence or at least a word ends and no emphasis, code or link is open. */
function paragraphPieces(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_PIECE * 1.5) {
    const cut = cutAt(rest);
    if (cut === undefined) break;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  pieces.push(rest);
  return pieces;
}

function cutAt(text: string): number | undefined {
  for (let at = LONGEST_PIECE; at < LONGEST_PIECE * 1.5; at++) {
    if (text[at] !== " " || LOOKS_LIKE_A_BLOCK.test(text.slice(at + 1, at + 12))) continue;
    if (isBalanced(text.slice(0, at))) return at + 1;
  }
  return undefined;
}

function isBalanced(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const pairs = count(/`/g) % 2 === 0 && count(/\*/g) % 2 === 0 && count(/~~/g) % 2 === 0;
  return pairs && count(/\[/g) === count(/\]/g) && count(/\(/g) === count(/\)/g);
}
