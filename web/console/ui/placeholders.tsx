import type { SignIn } from "@berth/server";
import { KeyRound, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { sessionPath } from "../../api/index.ts";
import { Button, Spinner } from "../../ui/index.ts";
import { useResource } from "../data/index.ts";
import { CopyButton } from "./copy-button.tsx";
import { WORDS } from "./words.ts";
import "./placeholders.css";

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

const FIRST_KEY = "berth keys create";
const LOOK_MS = 3_000;

/**
 * How the first key is made. Not here: until there is one, any program on this machine could do so. As soon as it is
 * there, the page asks for it.
 */
export function KeyFirst() {
  useResource<SignIn>(sessionPath("/console"), { anywhere: true, everyMs: LOOK_MS });
  return (
    <Empty
      icon={<KeyRound />}
      title={WORDS.createTheFirstKey}
      text={WORDS.firstKeyHint}
      action={
        <span className="first-key" data-testid="first-key">
          <code>{FIRST_KEY}</code>
          <CopyButton text={FIRST_KEY} label={WORDS.copyTheCommand} />
        </span>
      }
    />
  );
}

/** An answer that comes sooner than this shows no sign of waiting, which would only flicker. */
const UNNOTICED_MS = 150;

/** While there is nothing to show yet. */
export function Loading({ label }: { label?: string }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), UNNOTICED_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading">
      {shown && (
        <>
          <Spinner label={label ?? WORDS.loading} />
          {/* What takes long enough to have a name is told to those who see, too. */}
          {label && <span aria-hidden="true">{label}…</span>}
        </>
      )}
    </div>
  );
}

type ProblemProps = {
  error: { status: number; message: string };
  retry?: () => void;
  /** What did not work, where that is not showing something. */
  title?: string;
};

/** What went wrong while something was to be shown, and another try. */
export function Problem({ error, retry, title = titleOf(error) }: ProblemProps) {
  return (
    <div className="problem" role="alert" data-testid="problem">
      <TriangleAlert />
      <p>
        <strong>{title}</strong>
        <span>{error.message}</span>
      </p>
      {retry && (
        <Button size="small" onClick={retry}>
          {WORDS.tryAgain}
        </Button>
      )}
    </div>
  );
}

const titleOf = ({ status }: { status: number }): string =>
  status === 404 ? WORDS.notFound : WORDS.notLoaded;
