import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { Button, classes } from "../../ui/index.ts";
import { WORDS } from "./words.ts";
import "./layout.css";

type PageHeadProps = {
  title: string;
  /** A line below it: what this is, or its state. */
  sub?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  /** Where one came from. */
  back?: { href: string; label: string };
};

/** The head of a screen, whose title is the tab's as well. */
export function PageHead({ title, sub, actions, back }: PageHeadProps) {
  useEffect(() => {
    document.title = WORDS.pageTitle(title);
  }, [title]);
  return (
    <header className="page-head">
      <div className="page-head-words">
        {back && (
          <Link href={back.href} className="page-head-back">
            <ArrowLeft />
            {back.label}
          </Link>
        )}
        <h1 data-testid="page-title">{title}</h1>
        {sub !== undefined && sub !== "" && <div className="page-head-sub">{sub}</div>}
      </div>
      {actions && <div className="page-head-actions">{actions}</div>}
    </header>
  );
}

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

export type Tab = { id: string; label: string; href: string; count?: number };

/** The parts of a screen, each with an address of its own. */
export function Tabs({ items, current }: { items: readonly Tab[]; current: string }) {
  const row = useRef<HTMLElement>(null);
  // On a phone they are wider than the screen, and the one that is looked at may lie beyond its edge.
  useLayoutEffect(() => {
    const tab = row.current?.querySelector(`[data-testid="tab-${current}"]`);
    if (!row.current || !tab) return;
    const [around, own] = [row.current.getBoundingClientRect(), tab.getBoundingClientRect()];
    row.current.scrollLeft += own.left - around.left - (around.width - own.width) / 2;
  }, [current]);
  return (
    <nav className="tabs" aria-label={WORDS.partsOfThisScreen} ref={row}>
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

/** At the end of a list of which there is more. */
export function ShowMore({ pages }: { pages: { hasMore: boolean; loadMore(): void } }) {
  if (!pages.hasMore) return null;
  return (
    <p className="show-more">
      <Button onClick={pages.loadMore} data-testid="show-more">
        {WORDS.showMore}
      </Button>
    </p>
  );
}
