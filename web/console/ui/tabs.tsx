import { Link } from "wouter";
import { classes } from "../../ui/index.ts";
import "./tabs.css";

export type Tab = { id: string; label: string; href: string; count?: number };

/** The parts of a screen, each with an address of its own. */
export function Tabs({ items, current }: { items: readonly Tab[]; current: string }) {
  return (
    <nav className="tabs" aria-label="Parts of this screen">
      {items.map(({ id, label, href, count }) => (
        <Link
          key={id}
          href={href}
          className={classes("tab", id === current && "tab-current")}
          aria-current={id === current ? "page" : undefined}
          data-testid={`tab-${id}`}
        >
          {label}
          {count !== undefined && <span className="tab-count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
