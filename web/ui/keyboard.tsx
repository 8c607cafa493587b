import type { ReactNode } from "react";
import { Dialog } from "./dialog.tsx";
import { WORDS } from "./words.ts";
import "./keyboard.css";

export type KeyWords = { keys: readonly string[]; words: string };

/** All keys of a page on one sheet; rendered means open. */
export function ShortcutSheet({
  shortcuts,
  onClose,
}: {
  shortcuts: readonly KeyWords[];
  onClose: () => void;
}) {
  return (
    <Dialog title={WORDS.keyboardShortcuts} onClose={onClose} testId="shortcut-sheet">
      <dl className="shortcuts">
        {shortcuts.map(({ keys, words }) => (
          <div key={words}>
            <dt>{words}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Where ⌘ does what Ctrl does elsewhere. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** What a key with Ctrl, or ⌘, is called here. */
export const modKeys = (key: string): string[] => [isMac ? "⌘" : "Ctrl", key];

/** Whether a bare key is a letter to somebody who types. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

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
