import type { ReactNode } from "react";

/** A longer text is left plain: colouring it would hold up the page. */
const LONGEST = 20_000;

/**
 * Colours code when the page has nothing better to do, and hands over the result. The highlighter is loaded
 * with the first code that needs it. Gives a function that calls it off.
 */
export function highlightLater(text: string, language: string, done: (nodes: ReactNode) => void): () => void {
  if (text.length > LONGEST) return () => {};
  let wanted = true;
  const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 1));
  import("./highlighter.ts").then(({ highlight }) => {
    whenIdle(() => {
      const nodes = wanted ? highlight(text, language) : undefined;
      if (nodes !== undefined) done(nodes);
    });
  });
  return () => {
    wanted = false;
  };
}
