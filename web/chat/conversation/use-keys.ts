import { type RefObject, useEffect, useRef } from "react";

type Keys = { field: RefObject<HTMLTextAreaElement | null>; onEscape: (() => void) | undefined };

/** Esc does what is next: it leaves a subagent, or stops the run. Whatever lies above the page takes it first. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog[open], [popover]:popover-open")) return;
      latest.current.onEscape?.();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  // Who opens a conversation wants to write; on a touch screen the keyboard would cover it.
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) latest.current.field.current?.focus();
  }, []);
}
