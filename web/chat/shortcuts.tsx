import { useEffect, useRef } from "react";
import { isMac, isTyping, ShortcutSheet } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

/** Listens for the page's shortcuts. */
export function useShortcuts(actions: Record<ShortcutName, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event);
      if (!shortcut) return;
      event.preventDefault();
      latest.current[shortcut.name]();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

type ShortcutName = "palette" | "newChat" | "sidebar" | "shortcuts";

type Shortcut = { name: ShortcutName; key: string; mod?: boolean; shift?: boolean; words: string };

/** The keys that work anywhere on the page. */
const SHORTCUTS: readonly Shortcut[] = [
  { name: "palette", key: "k", mod: true, words: WORDS.searchConversations },
  { name: "newChat", key: "o", mod: true, shift: true, words: WORDS.newChat },
  { name: "sidebar", key: "b", mod: true, words: WORDS.showOrHideConversations },
  { name: "shortcuts", key: "?", words: WORDS.showThisList },
];

/** The keys that work while a message is written or read, told beside the others. */
const WRITING_KEYS: readonly { keys: string[]; words: string }[] = [
  { keys: ["Enter"], words: WORDS.sendTheMessage },
  { keys: ["Shift", "Enter"], words: WORDS.newLine },
  { keys: ["↑"], words: WORDS.editLastMessage },
  { keys: ["Esc"], words: WORDS.stopOrClose },
];

/** The keys to press, as they are called on this machine. */
function keysOf({ key, mod, shift }: Shortcut): string[] {
  const name = key.length === 1 ? key.toUpperCase() : key;
  return [...(mod ? [isMac ? "⌘" : "Ctrl"] : []), ...(shift ? [isMac ? "⇧" : "Shift"] : []), name];
}

/** The shortcut that was pressed, if it was one. Bare keys are letters while someone types. */
function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  return SHORTCUTS.find((shortcut) => {
    if (event.key.toLowerCase() !== shortcut.key || Boolean(shortcut.mod) !== mod || event.altKey)
      return false;
    if (shortcut.mod) return Boolean(shortcut.shift) === event.shiftKey;
    return !isTyping(event.target);
  });
}

/** All keys of the chat on one sheet. */
export function ChatShortcuts({ onClose }: { onClose: () => void }) {
  const anywhere = SHORTCUTS.map((shortcut) => ({ keys: keysOf(shortcut), words: shortcut.words }));
  return <ShortcutSheet shortcuts={[...anywhere, ...WRITING_KEYS]} onClose={onClose} />;
}
