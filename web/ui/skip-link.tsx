import type { ReactNode } from "react";
import "./skip-link.css";

/** The first thing that the keyboard reaches: past what is the same on every screen, to what is not. */
export function SkipLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a
      className="skip-link"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
    >
      {children}
    </a>
  );
}
