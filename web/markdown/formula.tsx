import katex from "katex";
import { useLayoutEffect, useRef, useState } from "react";
import remarkMath from "remark-math";
import { MAX_FORMULA_LENGTH } from "./limits.ts";

/** Finds formulas in Markdown. */
export const formulas = remarkMath;

/**
 * A formula, typeset as MathML, which browsers draw with their own fonts. The limits keep a formula that was made to be
 * endless from holding up the page.
 */
const SETTINGS = { output: "mathml", maxSize: 20, maxExpand: 500, strict: false, trust: false } as const;

export function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isWrong, setWrong] = useState(false);
  useLayoutEffect(() => {
    if (!place.current) return;
    if (tex.length > MAX_FORMULA_LENGTH) return setWrong(true);
    try {
      katex.render(tex, place.current, { ...SETTINGS, displayMode: isBlock });
      setWrong(false);
    } catch {
      // Half of one while it is written, or what KaTeX does not know.
      setWrong(true);
    }
  }, [tex, isBlock]);
  return (
    <span className={isBlock ? "md-formula md-formula-block" : "md-formula"} data-testid="formula">
      <span ref={place} hidden={isWrong} />
      {isWrong && <code>{tex}</code>}
    </span>
  );
}
