import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { isMac, isTyping, type KeyWords, modKeys, ShortcutSheet } from "../../ui/index.ts";
import { ALL_AREAS } from "./areas.tsx";

/** How long the second key may take. */
const PAIR_MS = 1_200;

type ConsoleActions = { palette: () => void; shortcuts: () => void };

/** The keys that work on every screen: `g` and a letter goes somewhere. */
export function useConsoleKeys(actions: ConsoleActions): void {
  const [, navigate] = useLocation();
  const latest = useRef({ ...actions, navigate });
  latest.current = { ...actions, navigate };
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent) => {
      const todo = actionOf(event, event.timeStamp - wentAt < PAIR_MS);
      wentAt = todo === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (todo === undefined || todo === "g") return;
      event.preventDefault();
      if (todo === "palette" || todo === "shortcuts") latest.current[todo]();
      else latest.current.navigate(todo.href);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

function actionOf(
  event: KeyboardEvent,
  isSecond: boolean,
): "palette" | "shortcuts" | "g" | { href: string } | undefined {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  if (mod && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") return "palette";
  // In a dialog the page behind must not go away.
  if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return undefined;
  if (document.querySelector("dialog[open]:not(.drawer)")) return undefined;
  if (event.key === "?") return "shortcuts";
  if (isSecond) return ALL_AREAS.find(({ key }) => key === event.key);
  return event.key === "g" ? "g" : undefined;
}

const KEYS: readonly KeyWords[] = [
  { keys: modKeys("K"), words: "Go to a screen, a deployment or an issue" },
  { keys: ["?"], words: "This list" },
  ...ALL_AREAS.map(({ key, label }) => ({ keys: ["G", key.toUpperCase()], words: label })),
  { keys: ["Esc"], words: "Close what is open" },
];

/** All keys of the console on one sheet. */
export function ConsoleShortcuts({ onClose }: { onClose: () => void }) {
  return <ShortcutSheet shortcuts={KEYS} onClose={onClose} />;
}
