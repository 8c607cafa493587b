import { useEffect, useRef } from "react";
import { type ShortcutName, shortcutOf } from "./keys.ts";

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
