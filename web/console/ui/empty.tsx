import type { ReactNode } from "react";
import "./empty.css";

type EmptyProps = {
  icon?: ReactNode;
  title: string;
  /** What to do to have something here. */
  text?: ReactNode;
  action?: ReactNode;
};

/** In place of a list that has nothing in it: says why, and what to do. */
export function Empty({ icon, title, text, action }: EmptyProps) {
  return (
    <div className="empty" data-testid="empty">
      {icon}
      <h2>{title}</h2>
      {text !== undefined && <div className="empty-text">{text}</div>}
      {action}
    </div>
  );
}
