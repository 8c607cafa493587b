import type { ReactNode } from "react";
import "./facts.css";

export type Fact = { label: string; value: ReactNode };

/** What is known about a thing, side by side. */
export function Facts({ items }: { items: readonly Fact[] }) {
  return (
    <dl className="facts">
      {items.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
