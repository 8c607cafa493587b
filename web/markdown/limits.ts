// Limits that keep a message from holding up the page. Text beyond them is shown as it was written.

/** Maximum characters of one block that is parsed: the worst ones take about 20 ms for each 1,000. */
export const MAX_BLOCK_LENGTH = 20_000;
/** Maximum characters of prose of one message that are parsed. */
export const MAX_FORMATTED_LENGTH = 50_000;
/** Maximum quote and list markers in front of a line: parsing is quadratic in them, and uses the stack. */
export const MAX_MARKERS = 100;
/** Maximum characters of one formula: browsers take seconds to lay out a long one. */
export const MAX_FORMULA_LENGTH = 2_000;
/** Maximum formulas of one block: KaTeX takes about 0.1 ms for a small one. In a block with more, all stay text. */
export const MAX_FORMULAS = 500;
