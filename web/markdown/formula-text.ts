/** Code, in which a dollar is a dollar. */
const CODE = /(`+)[\s\S]*?\1/;
/** `\[ … \]`, `\( … \)`, `$$ … $$`, and `$ … $` as people who also write of money read it. */
const FORMULA = /\\\[[\s\S]+?\\\]|\\\(.+?\\\)|\$\$[\s\S]+?\$\$|(?<!\\)\$(?=\S)[^$\n]*?\S\$(?!\d)/;
const DOLLARS = /\\\$|\$\$[\s\S]+?\$\$|\$(?=\S)[^$\n]*?\S\$(?!\d)|\$/g;

/** Whether a text may have formulas in it. */
export const hasFormulas = (text: string): boolean => FORMULA.test(text);

/** The text with its formulas between dollars, and every other dollar as a sign. */
export function withFormulas(text: string): string {
  const code = CODE.exec(text);
  if (!code) return marked(text);
  const end = code.index + code[0].length;
  return marked(text.slice(0, code.index)) + code[0] + withFormulas(text.slice(end));
}

function marked(text: string): string {
  return text
    .replaceAll(/\\\[([\s\S]+?)\\\]/g, (_, tex: string) => ["", "$$", tex.trim(), "$$", ""].join("\n"))
    .replaceAll(/\\\((.+?)\\\)/g, (_, tex: string) => `$${tex.trim()}$`)
    .replaceAll(DOLLARS, (found) => (found === "$" ? "\\$" : found));
}
