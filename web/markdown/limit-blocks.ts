import type { Block } from "./blocks.ts";
import { MAX_BLOCK_LENGTH, MAX_FORMATTED_LENGTH, MAX_MARKERS } from "./limits.ts";

const TOO_DEEP = new RegExp(String.raw`^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){${MAX_MARKERS},}`, "m");
/** Columns of indentation that a list needs for as many levels. */
const TOO_INDENTED = new RegExp(String.raw`^[ \t]{${2 * MAX_MARKERS},}[-+*>\d]`, "m");

/**
 * Returns the blocks with those as `plain` that would hold up the page: a block that is too long or nested too deeply,
 * and all prose after the first `MAX_FORMATTED_LENGTH` characters of it.
 */
export function limitBlocks(blocks: Block[]): Block[] {
  let formatted = 0;
  return blocks.map((block) => {
    if (block.kind !== "prose") return block;
    formatted += block.text.length;
    const isParsed =
      formatted <= MAX_FORMATTED_LENGTH &&
      block.text.length <= MAX_BLOCK_LENGTH &&
      !TOO_DEEP.test(block.text) &&
      !TOO_INDENTED.test(block.text);
    return isParsed ? block : { ...block, kind: "plain" };
  });
}
