import { useSyncExternalStore } from "react";

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

function observe(update: () => void): () => void {
  const chosen = new MutationObserver(update);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  dark?.addEventListener("change", update);
  return () => {
    chosen.disconnect();
    dark?.removeEventListener("change", update);
  };
}

function shade(): "light" | "dark" {
  const { theme } = document.documentElement.dataset;
  if (theme === "light" || theme === "dark") return theme;
  return dark?.matches ? "dark" : "light";
}

/** How the page is coloured now, whether that was chosen or is the system's. */
export const useShade = (): "light" | "dark" => useSyncExternalStore(observe, shade);

const WIDE = "(min-width: 48rem)";

function subscribe(update: () => void): () => void {
  const wide = window.matchMedia(WIDE);
  wide.addEventListener("change", update);
  return () => wide.removeEventListener("change", update);
}

/** Whether there is room for columns. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(WIDE).matches);
}
