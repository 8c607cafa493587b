import { ArrowLeft } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import "./page-head.css";

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
    document.title = `${title} · Berth console`;
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
