import { useSyncExternalStore } from "react";

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
