import { type ReactNode, useId } from "react";
import "./section.css";

type SectionProps = {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  testId?: string;
};

/** A titled part of a screen. */
export function Section({ title, note, actions, children, testId }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id} data-testid={testId}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className="section-note">{note}</span>}
        {actions && <span className="section-actions">{actions}</span>}
      </div>
      {children}
    </section>
  );
}
