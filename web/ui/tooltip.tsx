import type { ReactNode } from "react";
import "./tooltip.css";

type TooltipProps = {
  text: string;
  keys?: string;
  /** Which edge it keeps to; the middle does not fit beside the edge of the page. */
  align?: "start" | "center" | "end";
  children: ReactNode;
};

/**
 * Words that appear beside a control under the pointer or the focus. Only for the eye: the control needs a name
 * of its own.
 */
export function Tooltip({ text, keys, align = "center", children }: TooltipProps) {
  return (
    <span className={`tooltip tooltip-${align}`}>
      {children}
      <span className="tooltip-text" aria-hidden="true">
        {text}
        {keys && <kbd>{keys}</kbd>}
      </span>
    </span>
  );
}
