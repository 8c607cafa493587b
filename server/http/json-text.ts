/** Where a text stops being JSON (UTF-16 offset), in the words of Python's decoder, which clients know. */
export type JsonFault = { position: number; reason: string };

/** True when arrays and objects of `text` stand more than `levels` deep in each other. */
export function nestsDeeperThan(text: string, levels: number): boolean {
  if (text.length <= levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = text.indexOf('"', at + 1);
      while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
      if (at === -1) return false;
    } else if (code === openList || code === openObject) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === closeList || code === closeObject) depth -= 1;
  }
  return false;
}

/**
 * Finds the fault of a text that `JSON.parse` refused; the engine's own message names no position. Walks with a
 * stack of its own, so that no nesting can exhaust the real one.
 */
export function jsonFaultOf(text: string): JsonFault {
  const open: string[] = [];
  let at = 0;
  let wants = "value" as Wants;
  for (;;) {
    at = skip(blank, text, at);
    const char = text.charAt(at);
    if ((wants === "item" && char === "]") || (wants === "first key" && char === "}")) {
      open.pop();
      wants = "end";
      at += 1;
    } else if (wants === "end") {
      if (open.length === 0) return { position: at, reason: "Extra data" };
      if (char === open.at(-1)) open.pop();
      else if (char === ",") wants = open.at(-1) === "}" ? "key" : "value";
      else return { position: at, reason: "Expecting ',' delimiter" };
      at += 1;
    } else if (wants === "colon") {
      if (char !== ":") return { position: at, reason: "Expecting ':' delimiter" };
      wants = "value";
      at += 1;
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (typeof end !== "number") return end;
      wants = wants === "key" || wants === "first key" ? "colon" : "end";
      at = end;
    } else if (wants === "key" || wants === "first key") {
      return { position: at, reason: "Expecting property name enclosed in double quotes" };
    } else if (char === "[" || char === "{") {
      open.push(char === "[" ? "]" : "}");
      wants = char === "[" ? "item" : "first key";
      at += 1;
    } else {
      const end = skip(scalar, text, at);
      if (end === at) return { position: at, reason: "Expecting value" };
      wants = "end";
      at = end;
    }
  }
}

type Wants = "value" | "item" | "key" | "first key" | "colon" | "end";

const [quote, openList, closeList, openObject, closeObject] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];
const blank = /[ \t\n\r]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code < 0x20) return { position: at, reason: "Invalid control character at" };
    const next = code === 0x5c ? skip(escapeSequence, text, at) : at + 1;
    if (next === at) return { position: at, reason: "Invalid \\escape" };
    at = next;
  }
  return { position: start, reason: "Unterminated string starting at" };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}
