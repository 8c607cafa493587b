import type { ReactNode } from "react";
import "./tooltip.css";

/**
 * Words that appear beside a control under the pointer or the focus. Only for the eye: the control needs a name
 * of its own.
 */
export function Tooltip({ text, keys, children }: { text: string; keys?: string; children: ReactNode }) {
  return (
    <span className="tooltip">
      {children}
      <span className="tooltip-text" aria-hidden="true">
        {text}
        {keys && <kbd>{keys}</kbd>}
      </span>
    </span>
  );
}
